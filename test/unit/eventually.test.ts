import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';

test('eventually returns the first value that the condition accepts', async () => {
  let calls = 0;
  const next = (): number => {
    calls += 1;
    return calls;
  };
  expect(await eventually(next, { until: (value) => value === 3, every: 1 })).toBe(3);
  expect(calls).toBe(3);
});

test('eventually repeats a check that throws', async () => {
  let calls = 0;
  const check = (): string => {
    calls += 1;
    expect(calls).toBe(2);
    return 'passed';
  };
  expect(await eventually(check, { every: 1 })).toBe('passed');
});

test('eventually shows the last value when the condition is never met', async () => {
  const waiting = eventually(() => ({ state: 'PENDING' }), {
    until: ({ state }) => state === 'RUNNING',
    within: 10,
    every: 1,
  });
  await expect(waiting).rejects.toThrow(
    "The condition was not met within 0.01 s. Last value: { state: 'PENDING' }",
  );
});

test('eventually shows the last error when the check never passes', async () => {
  const waiting = eventually(() => expect(1).toBe(2), { within: 10, every: 1 });
  await expect(waiting).rejects.toThrow(
    /^The condition was not met within 0\.01 s\. Last error: expected 1 to be 2/,
  );
});
