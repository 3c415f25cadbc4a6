/**
 * Process in the role of an engine: starts the database in a directory, prints the result, and keeps running.
 */
import { isMainThread, Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { systemClock } from '../../../engine/clock.ts';
import { messageOf } from '../../../engine/errors.ts';
import { startEmbeddedPostgres } from '../../../storage/embedded/embedded-postgres.ts';

const [directory = '', thread = 'main'] = process.argv.slice(2);
const printJson = (answer: object): boolean => process.stdout.write(`${JSON.stringify(answer)}\n`);

if (isMainThread && thread === 'worker') {
  const worker = new Worker(new URL(import.meta.url), { argv: [directory, thread] });
  worker.on('error', (error) => printJson({ refusal: messageOf(error) }));
} else {
  const keepAlive = setInterval(() => undefined, 60_000);
  try {
    const server = await startEmbeddedPostgres({
      directory,
      log: pino({ level: 'silent' }),
      clock: systemClock,
      volatile: true,
    });
    printJson({ connection: server.connection });
  } catch (error) {
    printJson({ refusal: messageOf(error) });
    clearInterval(keepAlive);
  }
}
