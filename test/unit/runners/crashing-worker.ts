/**
 * Pool thread that dies once, as soon as the process of its first attempt has written output.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskOutcome } from '../../../engine/run/assignment.ts';
import type { AttemptRequest } from '../../../runners/pool/thread-messages.ts';
import { runAttempt as run } from '../../../runners/pool/worker.ts';

export function runAttempt(request: AttemptRequest): Promise<TaskOutcome> {
  const { directory } = request.assignment;
  const died = join(directory, '..', 'died');
  if (!existsSync(died)) {
    const log = join(directory, 'stdout');
    const look = setInterval(() => {
      if (!existsSync(log) || readFileSync(log, 'utf8') === '') return;
      clearInterval(look);
      writeFileSync(died, '');
      throw new Error('This thread dies, as the test wants it.');
    }, 5);
  }
  return run(request);
}
