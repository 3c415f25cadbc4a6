/** The table of transitions against spec 3.1 and the rows that DESIGN section 4 adds. */
import { describe, expect, test } from 'vitest';
import { isTerminal, lifeCycleStates, type LifeCycleState } from '../../../../engine/run/states.ts';
import { next, transitions, type RunEvent, type TransitionRow } from '../../../../engine/run/transitions.ts';

const events = [
  'admit',
  'prepare',
  'begin',
  'finish',
  'clean',
  'skip',
  'exclude',
  'withdraw',
  'break',
  'repair',
  'queue repair',
] as const satisfies readonly RunEvent[];

type Expected = [
  fact: string,
  from: LifeCycleState,
  on: RunEvent,
  to: LifeCycleState,
  stamps: string,
  notification?: 'start' | 'end',
  retry?: true,
];

const ofTheSpec: readonly Expected[] = [
  ['the queuing limit cleared', 'QUEUED', 'admit', 'PENDING', ''],
  ['resources prepared', 'PENDING', 'begin', 'RUNNING', 'start running', 'start'],
  ['max_concurrent_runs reached', 'PENDING', 'skip', 'SKIPPED', 'end', 'end'],
  ['the service fails before the start', 'PENDING', 'break', 'INTERNAL_ERROR', 'start end', 'end', true],
  ['the task finished', 'RUNNING', 'finish', 'TERMINATING', 'terminating'],
  ['the service fails while it runs', 'RUNNING', 'break', 'INTERNAL_ERROR', 'end', 'end', true],
  ['cleanup done', 'TERMINATING', 'clean', 'TERMINATED', 'end', 'end', true],
  ['the service fails while it cleans up', 'TERMINATING', 'break', 'INTERNAL_ERROR', 'end', 'end', true],
];

const added: readonly Expected[] = [
  ['cancelled in the queue', 'QUEUED', 'withdraw', 'TERMINATED', 'end', 'end'],
  ['too long in the queue', 'QUEUED', 'skip', 'SKIPPED', 'end', 'end'],
  ['cancelled before it began, through cleanup', 'PENDING', 'finish', 'TERMINATING', 'start terminating'],
  ['the branch was not chosen', 'PENDING', 'exclude', 'SKIPPED', 'end'],
  ['a cluster was asked for', 'PENDING', 'prepare', 'PENDING', 'start'],
  ['some tasks are to run again', 'TERMINATED', 'repair', 'PENDING', ''],
  ['some tasks are to run again after a failure in the service', 'INTERNAL_ERROR', 'repair', 'PENDING', ''],
  ['some tasks are to run again after a repair left the queue', 'SKIPPED', 'repair', 'PENDING', ''],
  ['the repair waits', 'TERMINATED', 'queue repair', 'QUEUED', ''],
  ['the repair after a failure in the service waits', 'INTERNAL_ERROR', 'queue repair', 'QUEUED', ''],
  ['the repair after one that left the queue waits', 'SKIPPED', 'queue repair', 'QUEUED', ''],
];

const isRepair = ({ on }: TransitionRow): boolean => on === 'repair' || on === 'queue repair';

const all = [...ofTheSpec, ...added];

test.each<Expected>([...all])(
  'spec 3.1: %s: %s, %s -> %s',
  (_fact, from, on, to, stamps, notification, retry) => {
    const row = next(from, on);
    expect(row).toEqual({
      from,
      on,
      to,
      stamps: stamps === '' ? [] : stamps.split(' '),
      ...(notification && { notification }),
      ...(retry && { retry }),
    });
  },
);

test('spec 3.1: the table has these rows and no others', () => {
  expect(transitions).toHaveLength(all.length);
});

describe('spec 3.1: an event without a row for the state is ignored', () => {
  const unknown = lifeCycleStates
    .flatMap((state) => events.map((event) => [state, event] as const))
    .filter(([state, event]) => !all.some(([, from, on]) => from === state && on === event));

  test.each(unknown)('%s, %s', (state, event) => {
    expect(next(state, event)).toBeUndefined();
  });
});

test.each(lifeCycleStates.filter(isTerminal))('spec 3.1: only a repair leaves %s', (state) => {
  expect(transitions.filter((row) => (row.from as string) === state && !isRepair(row))).toEqual([]);
});

test.each<TransitionRow>([...transitions])(
  '$from, $on -> $to stamps the end exactly when it ends, and announces every end but an exclusion',
  (row) => {
    expect(row.stamps.includes('end')).toBe(isTerminal(row.to));
    expect(row.notification === 'end').toBe(isTerminal(row.to) && row.on !== 'exclude');
  },
);

test('every state is reachable, and a terminal state is reachable from every active state', () => {
  expect(new Set<string>(['QUEUED', ...transitions.map((row) => row.to)])).toEqual(new Set(lifeCycleStates));
  for (const state of lifeCycleStates.filter((one) => !isTerminal(one))) {
    expect(transitions.some((row) => row.from === state && row.to !== state)).toBe(true);
  }
});
