/**
 * `npm run package`: builds the installable package and packs it as `build/runyard-<version>.tgz`. The package
 * holds JavaScript, because Node does not run TypeScript below node_modules, and the built console, so that an
 * installation needs no build tools.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { selectManifest } from './package-manifest.ts';
import { toJavaScript } from './strip-types.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Folders whose files run. Files other than TypeScript are copied as they are. */
const programFolders = ['api', 'cli', 'engine', 'notifications', 'runners', 'storage'];
/** Folders and files that are copied. */
const otherParts = ['console/built', 'examples', 'README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md'];
/** The builder itself is no part of the package. */
const leftOut = 'cli/packaging';

/**
 * Writes the package.
 * @param target directory, which is replaced
 */
export async function buildPackage(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const used = new Set<string>();
  for (const folder of programFolders) {
    for (const path of await filesBelow(folder)) {
      if (path.startsWith(`${leftOut}/`) || path.includes('__pycache__')) continue;
      const extension = extname(path);
      const isTyped = extension === '.ts';
      const to = join(target, isTyped ? path.replace(/\.ts$/, '.js') : path);
      await mkdir(dirname(to), { recursive: true });
      if (!isTyped && extension !== '.mjs') {
        await cp(join(projectRoot, path), to);
        continue;
      }
      const program = toJavaScript(await readFile(join(projectRoot, path), 'utf8'), isTyped);
      for (const name of program.packages) used.add(name);
      await writeFile(to, program.text, path === 'cli/runyard.mjs' ? { mode: 0o755 } : {});
    }
  }
  for (const part of otherParts) await cp(join(projectRoot, part), join(target, part), { recursive: true });
  const manifest: unknown = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  await writeFile(
    join(target, 'package.json'),
    `${JSON.stringify(selectManifest(manifest, used), undefined, 2)}\n`,
  );
}

/** Returns the paths of all files below a folder, relative to the project, in a fixed order. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(projectRoot, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length))
    .toSorted();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const build = join(projectRoot, 'build');
  await execa('node', [join(projectRoot, 'console/build.mjs'), '--if-stale'], { stdio: 'inherit' });
  await buildPackage(join(build, 'package'));
  const { stdout } = await execa('npm', ['pack', '--silent', '--pack-destination', build], {
    cwd: join(build, 'package'),
  });
  process.stdout.write(`${join(build, stdout.trim())}\n`);
}
