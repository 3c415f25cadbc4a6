/** Repairs: selected tasks, preconditions, new attempts, and the state of the run. */
import { describe, expect, test } from 'vitest';
import {
  checkRepairable,
  createRepair,
  tasksToRerun,
  type RepairSelection,
} from '../../../../engine/run/repair.ts';
import type { Run } from '../../../../engine/run/run.ts';
import { lifeCycleStates, type LifeCycleState } from '../../../../engine/run/states.ts';
import { type Line, runOf, createFound, all, named, withDependents } from './repair-samples.ts';

describe('tasksToRerun', () => {
  const line: readonly Line[] = [
    ['c', ['skipped'], ['b']],
    ['b', ['skipped'], ['a']],
    ['a', ['failed']],
    ['d', ['success']],
  ];
  const done: readonly Line[] = [
    ['a', ['success']],
    ['b', ['success'], ['a']],
    ['c', ['success'], ['b']],
    ['side', ['success'], ['a']],
  ];
  test.each<[string, readonly Line[], RepairSelection, string[]]>([
    ['failed tasks and skipped downstream tasks, in the order of the graph', line, all, ['a', 'b', 'c']],
    ['a task that timed out', [['a', ['timedout']]], all, ['a']],
    [
      'a cancelled task and its skipped downstream task',
      [
        ['a', ['canceled']],
        ['b', ['skipped'], ['a']],
      ],
      all,
      ['a', 'b'],
    ],
    ['a task with an internal error', [['a', ['error']]], all, ['a']],
    [
      'a task that was skipped because the run was stopped',
      [
        ['a', ['success']],
        ['b', ['skipped'], ['a']],
      ],
      all,
      ['b'],
    ],
    [
      'a task whose latest attempt failed',
      [
        ['a', ['failed', 'success']],
        ['b', ['success', 'failed']],
      ],
      all,
      ['b'],
    ],
    [
      'no task of a branch whose condition was not met',
      [
        ['a', ['success']],
        ['mend', ['skipped'], ['a'], 'AT_LEAST_ONE_FAILED'],
        ['b', ['failed']],
      ],
      all,
      ['b'],
    ],
    [
      'no task that ran because of a failure',
      [
        ['a', ['failed']],
        ['mend', ['success'], ['a'], 'ALL_FAILED'],
        ['b', ['skipped'], ['a']],
      ],
      all,
      ['a', 'b'],
    ],
    [
      'with dependents, also a task that ran because of a failure',
      [
        ['a', ['failed']],
        ['mend', ['success'], ['a'], 'ALL_FAILED'],
      ],
      withDependents(all),
      ['a', 'mend'],
    ],
    ['the named tasks, each once', done, named('c', 'a', 'c'), ['a', 'c']],
    ['the named tasks and their downstream tasks', done, withDependents(named('b')), ['b', 'c']],
    ['all downstream tasks of the first task', done, withDependents(named('a')), ['a', 'b', 'side', 'c']],
    ['a leaf task alone', done, withDependents(named('side')), ['side']],
  ])('%s', (_name, lines, choice, keys) => {
    expect(tasksToRerun(createFound(lines), choice)).toEqual(keys);
  });

  test.each<[string, RepairSelection, string]>([
    [
      'neither field',
      named(),
      'Neither rerun_tasks nor rerun_all_failed_tasks is given; one of them is required.',
    ],
    [
      'both fields',
      { ...named('a'), allFailed: true },
      'rerun_tasks and rerun_all_failed_tasks are given; only one of them is allowed.',
    ],
    ['an unknown task', named('a', 'x"y'), 'rerun_tasks[1] is "x\\"y"; run 100 has no task with this key.'],
    [
      'all failed tasks of a run without failures',
      all,
      'rerun_all_failed_tasks is true, but no task of run 100 has failed; there is nothing to run again.',
    ],
  ])('refused: %s', (_name, choice, message) => {
    expect(() => tasksToRerun(createFound(done), choice)).toThrow(message);
  });
});

describe('checkRepairable', () => {
  const inState = (state: LifeCycleState): Run =>
    runOf({ progress: { ...runOf().progress, state } as Run['progress'] });

  test.each(lifeCycleStates)(
    'a run in the state %s can be repaired only if it is TERMINATED or INTERNAL_ERROR',
    (state) => {
      const attempt = (): void => checkRepairable(inState(state), all);
      if (state === 'TERMINATED' || state === 'INTERNAL_ERROR') expect(attempt).not.toThrow();
      else
        expect(attempt).toThrow(
          state === 'SKIPPED'
            ? 'Run 100 was skipped'
            : `Run 100 is ${state}; only a run that is over can be repaired.`,
        );
    },
  );

  const repaired = runOf({ repair: { repairId: 200, count: 1, startTime: 1, earlierDuration: 1 } });
  test.each<[string, Run, number, string | undefined]>([
    ['the first repair', runOf(), 0, undefined],
    [
      'the first repair with latest_repair_id',
      runOf(),
      200,
      'latest_repair_id is 200, but run 100 has not been repaired yet; leave it out.',
    ],
    ['the second repair', repaired, 200, undefined],
    [
      'the second repair without latest_repair_id',
      repaired,
      0,
      'Missing required field: latest_repair_id. The latest repair of run 100 is 200.',
    ],
    [
      'the second repair with another latest_repair_id',
      repaired,
      199,
      'latest_repair_id is 199, but the latest repair of run 100 is 200.',
    ],
  ])('%s', (_name, run, latestRepairId, message) => {
    const attempt = (): void => checkRepairable(run, { latestRepairId });
    if (message === undefined) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(message);
  });
});

describe('createRepair', () => {
  const lines: readonly Line[] = [
    ['a', ['failed', 'failed']],
    ['b', ['skipped'], ['a', 'c']],
    ['c', ['success']],
  ];
  const plan = {
    keys: ['a', 'b'],
    parameters: {},
    settings: createFound(lines).run.settings,
    parallelTasks: { taskRuns: 1, runJobTasks: 0 },
    admission: { kind: 'start' as const },
    repairId: 300,
    taskRunIds: [301, 302],
    owner: 'node-2',
    now: 9_000,
  };

  test('a repaired run is PENDING with its first start time, no end, and a higher fence', () => {
    const before = createFound(lines, { stopReason: 'cancel' });
    const { after } = createRepair(before, plan);
    expect(after).toEqual({
      ...before.run,
      owner: 'node-2',
      parallelTasks: { taskRuns: 1, runJobTasks: 0 },
      fence: 4,
      stopReason: undefined,
      repair: { repairId: 300, count: 1, startTime: 9_000, earlierDuration: 4_000 },
      progress: {
        state: 'PENDING',
        message: '',
        startTime: 1_000,
        runningTime: undefined,
        terminatingTime: undefined,
      },
    });
  });

  test('each task gets its next attempt, which waits for upstream tasks of the same repair', () => {
    expect(createRepair(createFound(lines), plan).attempts).toEqual(
      [
        ['a', 2, 301, ''],
        ['b', 1, 302, 'Waiting for the task a'],
      ].map(([taskKey, attempt, runId, message]) => ({
        runId,
        jobRunId: 100,
        taskKey,
        attempt,
        fence: 4,
        clusterId: undefined,
        sparkContextId: undefined,
        dueTime: undefined,
        stopReason: undefined,
        warned: false,
        progress: {
          state: 'PENDING',
          message,
          startTime: undefined,
          runningTime: undefined,
          terminatingTime: undefined,
        },
      })),
    );
  });

  test('the second repair adds the durations of both earlier rounds', () => {
    const repair = { repairId: 200, count: 1, startTime: 4_500, earlierDuration: 700 };
    expect(createRepair(createFound(lines, { repair }), plan).after.repair).toEqual({
      repairId: 300,
      count: 2,
      startTime: 9_000,
      earlierDuration: 1_200,
    });
  });

  test('a clock that stepped back does not set the start of the repair before the end of the run', () => {
    expect(createRepair(createFound(lines), { ...plan, now: 10 }).after.repair.startTime).toBe(5_000);
  });

  test.each([
    [{}, { python_params: ['x'] }],
    [{ python_params: [] }, { python_params: ['x'] }],
    [{ python_params: [], performance_target: 'FAST' }, { python_params: ['x'] }],
    [{ job_parameters: { day: '1' } }, { job_parameters: { day: '1' } }],
    [{ notebook_params: { a: '1' } }, { notebook_params: { a: '1' } }],
  ])('parameters %j of the repair change the parameters of the run to %j', (parameters, expected) => {
    expect(
      createRepair(createFound(lines, { overridingParameters: { python_params: ['x'] } }), {
        ...plan,
        parameters,
      }).after.overridingParameters,
    ).toEqual(expected);
  });
});
