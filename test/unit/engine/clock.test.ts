/** The system clock. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';

test('200 concurrent timers fire no earlier than their instants', async () => {
  const earlyBy: number[] = [];
  await Promise.all(
    Array.from(
      { length: 200 },
      (_, index) =>
        new Promise<void>((resolve) => {
          const at = systemClock.now() + (index % 20);
          systemClock.runAt(at, () => {
            earlyBy.push(Math.max(0, at - systemClock.now()));
            resolve();
          });
        }),
    ),
  );
  expect(Math.max(...earlyBy)).toBe(0);
});

test('a timer for a past instant fires at once, after its caller continues', async () => {
  const events: string[] = [];
  const fired = new Promise<void>((resolve) => {
    systemClock.runAt(systemClock.now() - 1_000, () => {
      events.push('fired');
      resolve();
    });
  });
  events.push('caller continued');
  await fired;
  expect(events).toEqual(['caller continued', 'fired']);
});

test('a cancelled timer does not fire', async () => {
  let fired = false;
  systemClock.runAt(systemClock.now() + 1, () => {
    fired = true;
  })();
  await new Promise<void>((resolve) => {
    systemClock.runAt(systemClock.now() + 5, resolve);
  });
  expect(fired).toBe(false);
});
