/** The clock of the service. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';

test('calls no earlier than the instant, however often it is asked', async () => {
  const early: number[] = [];
  await Promise.all(
    Array.from(
      { length: 200 },
      (_, index) =>
        new Promise<void>((resolve) => {
          const at = systemClock.now() + (index % 20);
          systemClock.runAt(at, () => {
            early.push(Math.max(0, at - systemClock.now()));
            resolve();
          });
        }),
    ),
  );
  expect(Math.max(...early)).toBe(0);
});

test('an instant that is past strikes at once, and not before its caller goes on', async () => {
  const said: string[] = [];
  const struck = new Promise<void>((resolve) => {
    systemClock.runAt(systemClock.now() - 1_000, () => {
      said.push('struck');
      resolve();
    });
  });
  said.push('went on');
  await struck;
  expect(said).toEqual(['went on', 'struck']);
});

test('what is taken back does not strike', async () => {
  let struck = false;
  systemClock.runAt(systemClock.now() + 1, () => {
    struck = true;
  })();
  await new Promise<void>((resolve) => {
    systemClock.runAt(systemClock.now() + 5, resolve);
  });
  expect(struck).toBe(false);
});
