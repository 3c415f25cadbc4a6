/** Rounds of a repaired run: their attempts, their durations, and the run as an attempt saw it. */
import { describe, expect, test } from 'vitest';
import {
  runAsOfAttempt,
  isOfLatestRound,
  retryNumberOf,
  roundsOf,
  roundStartOf,
  runDurationOf,
  type Repair,
} from '../../../../engine/run/repair-rounds.ts';
import type { Progress, Run, TaskRun } from '../../../../engine/run/run.ts';
import { progressByPhase } from './task-states.ts';

const none = { runningTime: undefined, terminatingTime: undefined };
const open: Progress = { ...none, state: 'PENDING', startTime: 1_000, message: '' };
const over: Progress = {
  state: 'TERMINATED',
  result: 'SUCCESS',
  message: '',
  startTime: 1_000,
  runningTime: 8_000,
  terminatingTime: 9_000,
  endTime: 9_500,
};

function run(more: Partial<Run>): Run {
  return {
    runId: 100,
    jobId: 1,
    numberInJob: 1,
    format: 'MULTI_TASK',
    version: '2.1',
    name: 'r',
    type: 'JOB_RUN',
    trigger: 'ONE_TIME',
    creatorUserName: 'ann',
    settings: {},
    overridingParameters: { python_params: ['now'] },
    originalAttemptRunId: 100,
    attempt: 0,
    stopReason: undefined,
    owner: 'n',
    fence: 3,
    repair: undefined,
    admittedTime: undefined,
    launchedBy: undefined,
    timeoutRevision: 0,
    warned: false,
    progress: over,
    ...more,
  };
}

const task = (runId: number, taskKey: string, attempt: number): TaskRun => ({
  runId,
  jobRunId: 100,
  taskKey,
  attempt,
  fence: 1,
  clusterId: undefined,
  sparkContextId: undefined,
  dueTime: undefined,
  stopReason: undefined,
  warned: false,
  progress: progressByPhase.failed,
});

const tasks = [
  task(102, 'a', 0),
  task(111, 'a', 1),
  task(121, 'a', 2),
  task(130, 'a', 3),
  task(101, 'b', 0),
  task(112, 'b', 1),
];
const ended = (message: string, endTime: number): Progress => ({
  ...none,
  state: 'TERMINATED',
  result: 'FAILED',
  startTime: undefined,
  message,
  endTime,
});
const repairs: Repair[] = [
  { repairId: 110, startTime: 4_000, ended: ended('first', 3_000), earlierParameters: undefined },
  {
    repairId: 120,
    startTime: 7_000,
    ended: ended('second', 6_000),
    earlierParameters: { python_params: ['then'] },
  },
];
const latest = { repairId: 120, count: 2, startTime: 7_000, earlierDuration: 4_000 };

test.each<[string, Partial<Run>, number | undefined, number]>([
  ['never repaired', {}, 8_500, 1_000],
  ['active', { progress: open }, undefined, 1_000],
  ['repaired', { repair: latest }, 6_500, 7_000],
  ['repaired, and admitted before that', { repair: latest, admittedTime: 1_500 }, 6_500, 7_000],
  ['repaired after a wait in the queue', { repair: latest, admittedTime: 7_400 }, 6_100, 7_400],
  ['repaired and active', { repair: latest, progress: open }, undefined, 7_000],
  [
    'repaired, and ended before the start of the repair because the clock stepped back',
    { repair: { ...latest, startTime: 9_900 } },
    4_000,
    9_900,
  ],
])(
  'spec 2.5: run_duration is the sum of all rounds without the time between them: %s',
  (_name, more, duration, start) => {
    expect([runDurationOf(run(more)), roundStartOf(run(more))]).toEqual([duration, start]);
  },
);

test('the latest round contains the attempts made after the latest repair, including retries', () => {
  expect(
    tasks.filter((one) => isOfLatestRound(run({ repair: latest }), one)).map(({ runId }) => runId),
  ).toEqual([121, 130]);
  expect(tasks.every((one) => isOfLatestRound(run({}), one))).toBe(true);
});

describe('rounds', () => {
  test('a run that was never repaired has one round', () => {
    expect(roundsOf({ run: run({}), tasks: tasks.slice(4) }, [])).toEqual([
      { repairId: undefined, progress: over, taskRunIds: [101, 112] },
    ]);
  });

  test('each round has its own start, end and attempts', () => {
    expect(roundsOf({ run: run({ repair: latest }), tasks }, repairs)).toEqual([
      {
        repairId: undefined,
        progress: { ...ended('first', 3_000), startTime: 1_000 },
        taskRunIds: [101, 102],
      },
      { repairId: 110, progress: { ...ended('second', 6_000), startTime: 4_000 }, taskRunIds: [111, 112] },
      { repairId: 120, progress: { ...over, startTime: 7_000 }, taskRunIds: [121, 130] },
    ]);
  });
});

test.each([
  [102, undefined, undefined, [102, 101]],
  [
    112,
    { python_params: ['then'] },
    { repairId: 110, count: 1, startTime: 4_000, earlierDuration: 2_000 },
    [102, 111, 101, 112],
  ],
  [130, { python_params: ['now'] }, latest, [102, 111, 121, 130, 101, 112]],
])(
  'attempt %i sees the parameters, the repair and the attempts up to its own round',
  (taskRunId, parameters, repair, known) => {
    const found = runAsOfAttempt(taskRunId, { run: run({ repair: latest }), tasks }, repairs);
    expect([found.run.overridingParameters, found.run.repair]).toEqual([parameters, repair]);
    expect(found.tasks.map(({ runId }) => runId)).toEqual(known);
  },
);

describe('the settings of an attempt', () => {
  const named = (name: string) => ({ name });
  const changed: Repair[] = repairs.map((repair, index) =>
    index === 0 ? { ...repair, earlierSettings: named('first') } : repair,
  );
  test.each([
    [101, 'first'],
    [112, 'now'],
    [121, 'now'],
  ])('%i ran with those of its round: %s', (runId, name) => {
    const found = { run: run({ repair: latest, settings: named('now') }), tasks };
    expect(runAsOfAttempt(runId, found, changed).run.settings).toEqual(named(name));
  });
});

test('spec 2.5: attempt_number counts the retries of a round', () => {
  const due = (attempt: number): TaskRun => ({ ...task(200 + attempt, 'x', attempt), dueTime: 5 });
  // Two retries, a repair, one retry.
  const attempts = [task(200, 'x', 0), due(1), due(2), task(203, 'x', 3), due(4), task(205, 'y', 0)];
  expect(attempts.map((attempt) => retryNumberOf(attempts, attempt))).toEqual([0, 1, 2, 0, 1, 0]);
});
