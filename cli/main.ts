/**
 * Entry point of the command `runyard`. It imports only built-in modules: the cache works for later imports.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiling about a thousand modules takes most of the start-up time; later starts read this cache instead.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/runyard', import.meta.url)));
const [{ runCommand }, { ignoreBrokenPipes }] = await Promise.all([
  import('./run-command.ts'),
  import('./commands/print-line.ts'),
]);
ignoreBrokenPipes();
// Open handles, such as a keep-alive connection or a timer, must not delay the exit.
process.exit(await runCommand(process.argv.slice(2)));
