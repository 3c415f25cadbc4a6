/** Repairs with the current settings of the job, repairs that wait, and repairs of skipped ones. */
import { describe, expect, test } from 'vitest';
import { checkRepairable, createRepair, settingsForRepair } from '../../../../engine/run/repair.ts';
import { createFound, runOf } from './repair-samples.ts';

describe('settingsForRepair', () => {
  const before = { tasks: [{ task_key: 'a' }, { task_key: 'b', depends_on: [{ task_key: 'a' }] }] };
  const stored = runOf({ settings: before });

  test('takes the current settings of the job and of the tasks that the run has', () => {
    const current = {
      max_concurrent_runs: 7,
      tasks: [
        { task_key: 'new' },
        { task_key: 'b', max_retries: 2, depends_on: [{ task_key: 'new' }, { task_key: 'a' }] },
        { task_key: 'a', timeout_seconds: 9 },
      ],
    };
    expect(settingsForRepair(stored, current, ['a', 'b'])).toEqual({
      max_concurrent_runs: 7,
      tasks: [
        { task_key: 'a', timeout_seconds: 9 },
        { task_key: 'b', max_retries: 2, depends_on: [{ task_key: 'a' }] },
      ],
    });
  });

  test('keeps the settings of a task that the job has lost and that does not run again', () => {
    expect(settingsForRepair(stored, { tasks: [{ task_key: 'a', max_retries: 1 }] }, ['a'])).toEqual({
      tasks: [{ task_key: 'a', max_retries: 1 }, before.tasks[1]],
    });
  });

  test.each([
    [
      { tasks: [{ task_key: 'a' }] },
      'Task b of run 100 cannot run again: job 1 has no task with this key now. Set use_original_settings to repair it with the settings of its start.',
    ],
    [
      { existing_cluster_id: 'c' },
      'Run 100 has the format MULTI_TASK, and job 1 is SINGLE_TASK now. Set use_original_settings to repair it with the settings of its start.',
    ],
  ])('refuses what cannot run again: %j', (current, message) => {
    expect(() => settingsForRepair(stored, current, ['b'])).toThrow(message);
  });
});

test('a repair that waits is QUEUED with its tasks, has no owner, and says why', () => {
  const found = createFound([['a', ['failed']]]);
  const { after, attempts, queueCode } = createRepair(found, {
    keys: ['a'],
    parameters: {},
    settings: found.run.settings,
    parallelTasks: { taskRuns: 1, runJobTasks: 0 },
    admission: { kind: 'queue', code: 'MAX_CONCURRENT_RUNS_REACHED', message: 'Waiting' },
    repairId: 300,
    taskRunIds: [301],
    owner: 'node-2',
    now: 9_000,
  });
  expect([queueCode, after.owner, after.progress.state, after.progress.message]).toEqual([
    'MAX_CONCURRENT_RUNS_REACHED',
    undefined,
    'QUEUED',
    'Waiting',
  ]);
  expect(attempts.map(({ progress }) => progress.state)).toEqual(['QUEUED']);
});

test('a run whose last repair left the queue can be repaired again', () => {
  const skipped = {
    state: 'SKIPPED',
    startTime: 1,
    runningTime: undefined,
    terminatingTime: undefined,
    endTime: 2,
    message: '',
  } as const;
  const repair = { repairId: 200, count: 1, startTime: 2, earlierDuration: 1 };
  expect(() => checkRepairable(runOf({ progress: skipped, repair }), { latestRepairId: 200 })).not.toThrow();
});
