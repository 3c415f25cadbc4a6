/**
 * Says in one line what is missing before anything is started. Plain JavaScript: it must run on whatever Node
 * is there.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const nodeNeeded = 24;
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The Node that came with the packages. */
export const packagedNode = at('node_modules/node/bin/node');

/** True when the Node that runs this runs Runyard too. */
export const nodeSuffices = Number(process.versions.node.split('.')[0]) >= nodeNeeded;

/**
 * What must be done before Runyard can start, in one line; undefined when nothing is.
 * npm blocks the script that brings the Node package's program when it is told to run none, or (npm 12) not
 * allowed to.
 */
export function complaint() {
  if (!existsSync(at('node_modules/commander'))) {
    return `The packages are not installed in ${at('')}: run \`npm ci\` there.`;
  }
  if (nodeSuffices || existsSync(packagedNode)) return undefined;
  return (
    `Runyard needs Node ${nodeNeeded} and this is ${process.version}. \`npm ci\` brings the right one, but npm was told not to run its ` +
    'install script: run `npm rebuild node --ignore-scripts=false`.'
  );
}

/**
 * As an npm script the packaged Node comes first in PATH: an old one here means that it is missing or does
 * not run.
 */
function main() {
  const found =
    complaint() ??
    (nodeSuffices
      ? undefined
      : `Runyard needs Node ${nodeNeeded} and this is ${process.version}: start it through npm (\`npm start\`) or cli/runyard.mjs, which take the packaged one.`);
  if (found === undefined) return;
  process.stderr.write(`runyard: ${found}\n`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
