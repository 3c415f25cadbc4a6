/** Checks packages and Node version before a start. Plain JavaScript, because it must run on any Node. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodeNeeded = 24;
const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Returns the directory of an installed package, next to this one or inside it; undefined without it. */
function findPackage(name) {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return paths.map((path) => join(path, name)).find((path) => existsSync(path));
}

/** Node from the installed packages. */
export const packagedNode = join(findPackage('node') ?? pathOf('node_modules/node'), 'bin', 'node');

/** True when the current Node can run Runyard. */
export const nodeSuffices = Number(process.versions.node.split('.')[0]) >= nodeNeeded;

/**
 * Returns in one line what to do before Runyard can start; undefined when nothing is missing.
 * npm skips the install script of the Node package with `--ignore-scripts`, and npm 12 without permission.
 */
export function findProblem() {
  if (findPackage('commander') === undefined) {
    return `The packages are not installed in ${pathOf('')}: run \`npm ci\` there.`;
  }
  if (nodeSuffices || existsSync(packagedNode)) return undefined;
  return (
    `Runyard needs Node ${nodeNeeded}; this is ${process.version}. \`npm ci\` installs it, but npm did not run its ` +
    'install script. Run `npm rebuild node --ignore-scripts=false`.'
  );
}

/** In an npm script, the packaged Node is first in PATH: an older Node here means that it does not run. */
function main() {
  const problem =
    findProblem() ??
    (nodeSuffices
      ? undefined
      : `Runyard needs Node ${nodeNeeded}; this is ${process.version}. Start Runyard with \`npm start\` or cli/runyard.mjs, which use the packaged Node.`);
  if (problem === undefined) return;
  process.stderr.write(`runyard: ${problem}\n`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
