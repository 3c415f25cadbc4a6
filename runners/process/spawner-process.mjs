/**
 * The spawner: a small process that starts processes for a thread of the engine, because a fork of the engine takes
 * longer the more memory the engine has. Plain JavaScript for the same reason as start-supervisor.mjs.
 *
 * Requests and answers are lines of JSON, see spawner.ts. The processes are not its own: it exits at the end of its
 * input, when the engine is gone, and they continue.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startSupervisor } from './start-supervisor.mjs';

// Ends of the terminal and of the service reach the engine, which closes the input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

closeInheritedFiles();

const answer = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
process.stdout.on('error', () => process.exit());

function start({ id, request }) {
  try {
    const child = startSupervisor(request);
    child.once('error', (error) => answer({ id, error: error.message }));
    child.once('spawn', () => answer({ id, pid: child.pid }));
    child.once('exit', () => answer({ id, ended: true }));
  } catch (error) {
    answer({ id, error: error.message });
  }
}

/** Closes the files that the starter of the engine left open: programs would inherit them. */
function closeInheritedFiles() {
  for (const descriptor of listDescriptors()) {
    try {
      const [, flags = ''] =
        /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
      // O_CLOEXEC: an own file of this process.
      if ((parseInt(flags, 8) & 0o2000000) === 0) closeSync(descriptor);
    } catch {
      // The directory that was listed is closed already.
    }
  }
}

function listDescriptors() {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2);
  } catch {
    return [];
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => start(JSON.parse(line)))
  .on('close', () => process.exit());
