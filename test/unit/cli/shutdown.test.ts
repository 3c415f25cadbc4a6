/** Shutdown: every part is stopped, in the reverse order of the start, whatever fails. */
import { expect, test } from 'vitest';
import { createShutdown, stopAll } from '../../../cli/wiring/shutdown.ts';

test('parts are stopped in the reverse order of their start, once', async () => {
  const stopped: string[] = [];
  const shutdown = createShutdown();
  for (const name of ['database', 'engine', 'api']) shutdown.add(() => void stopped.push(name));
  await shutdown.run();
  await shutdown.run();
  expect(stopped).toEqual(['api', 'engine', 'database']);
});

test('a part that throws or rejects does not leave the others running; the first error is reported', async () => {
  const stopped: string[] = [];
  const stop = stopAll([
    () => void stopped.push('disk'),
    () => {
      throw new Error('the queue is broken');
    },
    () => Promise.reject(new Error('the pool is broken')),
    async () => void stopped.push('ownership'),
  ]);
  await expect(stop).rejects.toThrow('the queue is broken');
  expect(stopped).toEqual(['disk', 'ownership']);
});
