/**
 * Builds the console's pages into console/built. npm runs it after an installation (`prepare`), people with
 * `npm run console`. Plain JavaScript: it must run on whatever Node is there.
 *
 * --optional  a failure is said, and is no failure: the service runs without its pages, so an installation
 * may, too
 * --if-stale  does nothing when what is built is newer than every source
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const room = fileURLToPath(new URL('.', import.meta.url));
const built = join(room, 'built', 'index.html');

const optional = process.argv.includes('--optional');
if (process.argv.includes('--if-stale') && !isStale()) process.exit(0);

// Under a test runner it is `test`, and React would be built for its developers.
process.env.NODE_ENV = 'production';

try {
  const { build } = await import('vite');
  await build({ root: room, configFile: join(room, 'vite.config.ts'), logLevel: 'error' });
  process.stdout.write('runyard: the console is built; `npm start` serves it.\n');
} catch (error) {
  const missing = error?.code === 'ERR_MODULE_NOT_FOUND';
  const reason = missing
    ? `a package is missing (${error.message.split('\n')[0]}); \`npm ci\` brings it`
    : String(error?.message ?? error);
  process.stderr.write(
    `runyard: the console could not be built: ${reason}\n` +
      'runyard: everything else works; only the web pages are missing. `npm run console` tries again.\n',
  );
  if (!optional) process.exitCode = 1;
}

function isStale() {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(room, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(room, 'built')));
  return [...sources, join(room, '..', 'package-lock.json')].some((path) => statSync(path).mtimeMs > builtAt);
}
