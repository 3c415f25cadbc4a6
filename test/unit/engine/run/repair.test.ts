/**
 * Which tasks a repair runs again, and what becomes of run and attempts: tables of cases, and whole lives of
 * random graphs.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import {
  checkRepairable,
  createRepair,
  tasksToRerun,
  type RepairSelection,
} from '../../../../engine/run/repair.ts';
import { rollUp, runConditions, taskStateOf, type RunCondition } from '../../../../engine/run/roll-up.ts';
import type { Run, RunWithTasks, TaskRun } from '../../../../engine/run/run.ts';
import { lifeCycleStates, type LifeCycleState } from '../../../../engine/run/states.ts';
import { progressByPhase, type TaskPhase } from './task-states.ts';

/** A task: key, where its attempts ended, what it depends on, its condition. */
type Line = readonly [
  key: string,
  ends: readonly TaskPhase[],
  dependsOn?: readonly string[],
  runIf?: RunCondition,
];

function settingsOf(lines: readonly Line[]): JobSettings {
  return {
    tasks: lines.map(([task_key, , dependsOn = [], run_if = 'ALL_SUCCESS']) => ({
      task_key,
      run_if,
      depends_on: dependsOn.map((key) => ({ task_key: key })),
    })),
  };
}

function runOf(more: Partial<Run> = {}): Run {
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
    overridingParameters: undefined,
    originalAttemptRunId: 100,
    attempt: 0,
    stopReason: undefined,
    owner: 'node-1',
    fence: 3,
    repair: undefined,
    admittedTime: undefined,
    launchedBy: undefined,
    timeoutRevision: 0,
    warned: false,
    progress: {
      state: 'TERMINATED',
      result: 'FAILED',
      message: 'Task a failed.',
      startTime: 1_000,
      runningTime: 1_100,
      terminatingTime: 4_000,
      endTime: 5_000,
    },
    ...more,
  };
}

function found(lines: readonly Line[], run: Partial<Run> = {}): RunWithTasks {
  let id = 100;
  const tasks = lines.flatMap(([taskKey, ends]) =>
    ends.map((end, attempt): TaskRun => ({
      runId: (id += 1),
      jobRunId: 100,
      taskKey,
      attempt,
      fence: 3,
      clusterId: 'c',
      sparkContextId: '1',
      dueTime: undefined,
      stopReason: undefined,
      warned: false,
      progress: progressByPhase[end],
    })),
  );
  return { run: runOf({ settings: settingsOf(lines), ...run }), tasks };
}

const all: RepairSelection = { taskKeys: [], allFailed: true, includeDependents: false, latestRepairId: 0 };
const named = (...tasks: string[]): RepairSelection => ({ ...all, taskKeys: tasks, allFailed: false });
const withDependents = (choice: RepairSelection): RepairSelection => ({ ...choice, includeDependents: true });

describe('the tasks that run again', () => {
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
    [
      'all that failed, and what was skipped behind it, in the order of the graph',
      line,
      all,
      ['a', 'b', 'c'],
    ],
    ['one that timed out', [['a', ['timedout']]], all, ['a']],
    [
      'one that was cancelled, and one that did not start because of it',
      [
        ['a', ['canceled']],
        ['b', ['skipped'], ['a']],
      ],
      all,
      ['a', 'b'],
    ],
    ['one that the service failed', [['a', ['error']]], all, ['a']],
    [
      'one that was skipped because the run was stopped',
      [
        ['a', ['success']],
        ['b', ['skipped'], ['a']],
      ],
      all,
      ['b'],
    ],
    [
      'what failed in its latest attempt, not before',
      [
        ['a', ['failed', 'success']],
        ['b', ['success', 'failed']],
      ],
      all,
      ['b'],
    ],
    [
      'not a branch that was not chosen',
      [
        ['a', ['success']],
        ['mend', ['skipped'], ['a'], 'AT_LEAST_ONE_FAILED'],
        ['b', ['failed']],
      ],
      all,
      ['b'],
    ],
    [
      'not what ran because of a failure',
      [
        ['a', ['failed']],
        ['mend', ['success'], ['a'], 'ALL_FAILED'],
        ['b', ['skipped'], ['a']],
      ],
      all,
      ['a', 'b'],
    ],
    [
      'also what ran because of a failure, as a dependent',
      [
        ['a', ['failed']],
        ['mend', ['success'], ['a'], 'ALL_FAILED'],
      ],
      withDependents(all),
      ['a', 'mend'],
    ],
    ['those that are named, each once', done, named('c', 'a', 'c'), ['a', 'c']],
    ['those that are named and all behind them', done, withDependents(named('b')), ['b', 'c']],
    ['everything behind the first', done, withDependents(named('a')), ['a', 'b', 'side', 'c']],
    ['a leaf has nothing behind it', done, withDependents(named('side')), ['side']],
  ])('%s', (_name, lines, choice, keys) => {
    expect(tasksToRerun(found(lines), choice)).toEqual(keys);
  });

  test.each<[string, RepairSelection, string]>([
    ['nothing', named(), 'Neither rerun_tasks nor rerun_all_failed_tasks is given; one of them is required.'],
    [
      'both',
      { ...named('a'), allFailed: true },
      'rerun_tasks and rerun_all_failed_tasks are given; only one of them is allowed.',
    ],
    [
      'a task that is not there',
      named('a', 'x"y'),
      'rerun_tasks[1] is "x\\"y"; run 100 has no task with this key.',
    ],
    [
      'all failed ones where none failed',
      all,
      'rerun_all_failed_tasks is true, but no task of run 100 has failed; there is nothing to run again.',
    ],
  ])('refused: %s', (_name, choice, message) => {
    expect(() => tasksToRerun(found(done), choice)).toThrow(message);
  });
});

describe('a run can be repaired', () => {
  const inState = (state: LifeCycleState): Run =>
    runOf({ progress: { ...runOf().progress, state } as Run['progress'] });

  test.each(lifeCycleStates)('in the state %s: only when it is over, and was not skipped', (state) => {
    const attempt = (): void => checkRepairable(inState(state), all);
    if (state === 'TERMINATED' || state === 'INTERNAL_ERROR') expect(attempt).not.toThrow();
    else
      expect(attempt).toThrow(
        state === 'SKIPPED'
          ? 'Run 100 was skipped'
          : `Run 100 is ${state}; only a run that is over can be repaired.`,
      );
  });

  const repaired = runOf({ repair: { repairId: 200, count: 1, startTime: 1, earlierDuration: 1 } });
  test.each<[string, Run, number, string | undefined]>([
    ['first', runOf(), 0, undefined],
    [
      'first, naming a repair',
      runOf(),
      200,
      'latest_repair_id is 200, but run 100 has not been repaired yet; leave it out.',
    ],
    ['again', repaired, 200, undefined],
    [
      'again, without naming the latest',
      repaired,
      0,
      'Missing required field: latest_repair_id. The latest repair of run 100 is 200.',
    ],
    [
      'again, naming another',
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

describe('what a repair makes', () => {
  const lines: readonly Line[] = [
    ['a', ['failed', 'failed']],
    ['b', ['skipped'], ['a', 'c']],
    ['c', ['success']],
  ];
  const plan = {
    keys: ['a', 'b'],
    parameters: {},
    repairId: 300,
    taskRunIds: [301, 302],
    owner: 'node-2',
    now: 9_000,
  };

  test('the run is open again: its start stays, all else is taken back, and nobody who drove it before may write', () => {
    const before = found(lines, { stopReason: 'cancel' });
    const { after } = createRepair(before, plan);
    expect(after).toEqual({
      ...before.run,
      owner: 'node-2',
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

  test('each task gets its next attempt, which waits for those that run with it', () => {
    expect(createRepair(found(lines), plan).attempts).toEqual(
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

  test('the second repair counts what both rounds before it took', () => {
    const repair = { repairId: 200, count: 1, startTime: 4_500, earlierDuration: 700 };
    expect(createRepair(found(lines, { repair }), plan).after.repair).toEqual({
      repairId: 300,
      count: 2,
      startTime: 9_000,
      earlierDuration: 1_200,
    });
  });

  test('a clock that stepped back does not begin it before the end', () => {
    expect(createRepair(found(lines), { ...plan, now: 10 }).after.repair.startTime).toBe(5_000);
  });

  test.each([
    [{}, { python_params: ['x'] }],
    [{ python_params: [] }, { python_params: ['x'] }],
    [{ python_params: [], performance_target: 'FAST' }, { python_params: ['x'] }],
    [{ job_parameters: { day: '1' } }, { job_parameters: { day: '1' } }],
    [{ notebook_params: { a: '1' } }, { notebook_params: { a: '1' } }],
  ])('parameters %j of the repair: %j are those of the run', (parameters, expected) => {
    expect(
      createRepair(found(lines, { overridingParameters: { python_params: ['x'] } }), { ...plan, parameters })
        .after.overridingParameters,
    ).toEqual(expected);
  });
});

interface Plan {
  readonly upstream: readonly number[];
  readonly runIf: RunCondition;
  readonly ends: TaskPhase;
}

/** Each task depends on earlier ones: every such graph is free of cycles. */
const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    upstream: fc.array(fc.nat(), { maxLength: 3 }),
    runIf: fc.constantFrom(...runConditions),
    ends: fc.constantFrom<TaskPhase>('success', 'success', 'failed', 'timedout', 'error'),
  }),
  { minLength: 1, maxLength: 30 },
);

/** Lives the latest attempts to the end of the run. `stopAfter`: it is cancelled after so many starts. */
function lived(
  { run, tasks }: RunWithTasks,
  endOf: (key: string) => TaskPhase,
  stopAfter = Infinity,
): { found: RunWithTasks; result: string } {
  const latest = new Map(tasks.map((taskRun) => [taskRun.taskKey, taskRun]));
  let started = 0;
  for (;;) {
    const standings = (run.settings.tasks ?? []).map((task) =>
      taskStateOf(task, latest.get(task.task_key)?.progress ?? progressByPhase.waiting, false),
    );
    const { start, skip, end } = rollUp(standings, started >= stopAfter ? 'cancel' : undefined);
    if (end !== undefined) {
      const progress: Run['progress'] = {
        ...runOf().progress,
        state: 'TERMINATED',
        result: end.result,
        endTime: 6_000,
      };
      return {
        found: {
          run: { ...run, progress },
          tasks: tasks.map((task) => ({
            ...task,
            progress:
              (latest.get(task.taskKey)?.attempt === task.attempt ? latest.get(task.taskKey) : undefined)
                ?.progress ?? task.progress,
          })),
        },
        result: end.result,
      };
    }
    const move = (key: string, place: TaskPhase): void => {
      const taskRun = latest.get(key);
      if (taskRun !== undefined) latest.set(key, { ...taskRun, progress: progressByPhase[place] });
    };
    for (const key of start) {
      move(key, endOf(key));
      started += 1;
    }
    for (const { key } of skip) move(key, 'skipped');
  }
}

test('after a repair of all failed tasks whose programs succeed now, the run succeeds, whatever its graph and conditions', () => {
  fc.assert(
    fc.property(plans, fc.nat(30), fc.boolean(), (plan, stopAfter, dependents) => {
      const lines = plan.map(({ upstream, runIf }, index): Line => [
        `t${index}`,
        ['waiting'],
        index === 0 ? [] : [...new Set(upstream.map((one) => `t${one % index}`))],
        runIf,
      ]);
      const first = lived(found(lines), (key) => plan[Number(key.slice(1))]?.ends ?? 'success', stopAfter);
      if (first.result === 'SUCCESS') return;
      const keys = tasksToRerun(first.found, { ...all, includeDependents: dependents });
      const { after, attempts } = createRepair(first.found, {
        keys,
        parameters: {},
        repairId: 1_000,
        taskRunIds: keys.map((_, index) => 1_001 + index),
        owner: 'n',
        now: 7_000,
      });
      const second = lived({ run: after, tasks: [...first.found.tasks, ...attempts] }, () => 'success');
      expect(second.result).toBe('SUCCESS');
      // What had succeeded and was not asked for again was left alone.
      if (!dependents)
        expect(
          keys.some((key) =>
            first.found.tasks.some((task) => task.taskKey === key && task.progress.result === 'SUCCESS'),
          ),
        ).toBe(false);
    }),
    { numRuns: 500 },
  );
});
