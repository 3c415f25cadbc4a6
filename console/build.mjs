/**
 * Builds the console into console/built. npm runs it after an installation (`prepare`); `npm run console`
 * runs it by hand. Plain JavaScript, because it must run on any Node.
 *
 * --optional  reports a failure but exits with 0: the service and an installation work without the console
 * --if-stale  does nothing when the build is newer than every source
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const consoleDirectory = fileURLToPath(new URL('.', import.meta.url));
const built = join(consoleDirectory, 'built', 'index.html');

const optional = process.argv.includes('--optional');
if (process.argv.includes('--if-stale') && !isStale()) process.exit(0);

// A test runner sets `test`, which would build the development version of React.
process.env.NODE_ENV = 'production';

try {
  const { build } = await import('vite');
  await build({
    root: consoleDirectory,
    configFile: join(consoleDirectory, 'vite.config.ts'),
    logLevel: 'error',
  });
  process.stdout.write('runyard: built the console; `npm start` serves it.\n');
} catch (error) {
  const missing = error?.code === 'ERR_MODULE_NOT_FOUND';
  const reason = missing
    ? `a package is missing (${error.message.split('\n')[0]}); \`npm ci\` installs it`
    : String(error?.message ?? error);
  process.stderr.write(
    `runyard: the console could not be built: ${reason}\n` +
      'runyard: the service works without its web pages. `npm run console` builds them again.\n',
  );
  if (!optional) process.exitCode = 1;
}

function isStale() {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(consoleDirectory, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(consoleDirectory, 'built')));
  return [...sources, join(consoleDirectory, '..', 'package-lock.json')].some(
    (path) => statSync(path).mtimeMs > builtAt,
  );
}
