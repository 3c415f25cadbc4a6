/**
 * Settings after reset and update: removal first, then replacement, with tasks and job clusters merged by key
 * (spec 4.1 rules 2, 3).
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeSettings, resetSettings } from '../../../../engine/job/merge-settings.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { applyTimeoutUpdate } from '../../../../engine/job/timeouts.ts';
import { taskBodies, newCluster, singleTaskJob, sampleTask } from './sample-settings.ts';

const cluster = (job_cluster_key: string, num_workers = 1) => ({
  job_cluster_key,
  new_cluster: { ...newCluster, num_workers },
});
const [a, b, c] = [sampleTask('a'), sampleTask('b', 'a'), sampleTask('c')];

describe('spec 4.1.3: update', () => {
  test.each<[string, JobSettings, JobSettings, string[], object]>([
    ['nothing new changes nothing', singleTaskJob, {}, [], singleTaskJob],
    ['a top-level field is replaced', singleTaskJob, { name: 'x' }, [], { ...singleTaskJob, name: 'x' }],
    [
      'a nested field is replaced as a whole',
      { ...singleTaskJob, email_notifications: { on_start: ['a@x'], on_failure: ['b@x'] } },
      { email_notifications: { on_start: ['c@x'] } },
      [],
      { ...singleTaskJob, email_notifications: { on_start: ['c@x'] } },
    ],
    [
      'a cluster is replaced as a whole',
      singleTaskJob,
      { new_cluster: { ...newCluster, num_workers: 9 } },
      [],
      { ...singleTaskJob, new_cluster: { ...newCluster, num_workers: 9 } },
    ],
    [
      'a list without a key is replaced',
      { ...singleTaskJob, libraries: [{ jar: 'managed_fs:/a.jar' }] },
      { libraries: [{ whl: 'managed_fs:/b.whl' }] },
      [],
      { ...singleTaskJob, libraries: [{ whl: 'managed_fs:/b.whl' }] },
    ],
    [
      'parameters have no key here and are replaced',
      { tasks: [a], parameters: [{ name: 'p', default: '1' }] },
      { parameters: [{ name: 'q', default: '2' }] },
      [],
      { tasks: [a], parameters: [{ name: 'q', default: '2' }] },
    ],
    [
      'a task with the key of another takes its place as a whole',
      { tasks: [{ ...a, max_retries: 3 }, b] },
      { tasks: [{ ...a, description: 'd' }] },
      [],
      { tasks: [{ ...a, description: 'd' }, b] },
    ],
    ['a task with a new key is appended', { tasks: [a] }, { tasks: [c] }, [], { tasks: [a, c] }],
    ['an empty list of tasks changes no task', { tasks: [a] }, { tasks: [] }, [], { tasks: [a] }],
    [
      'job clusters are merged by their key',
      { tasks: [a], job_clusters: [cluster('x'), cluster('y')] },
      { job_clusters: [cluster('y', 7), cluster('z')] },
      [],
      { tasks: [a], job_clusters: [cluster('x'), cluster('y', 7), cluster('z')] },
    ],
    [
      'a field is removed',
      { ...singleTaskJob, timeout_seconds: 5, description: 'd' },
      {},
      ['timeout_seconds', 'description'],
      singleTaskJob,
    ],
    [
      'a field that is kept without being known is removed',
      { ...singleTaskJob, x_unknown: 1 } as JobSettings,
      {},
      ['x_unknown'],
      singleTaskJob,
    ],
    ['a task is removed by its key', { tasks: [a, c] }, {}, ['tasks/a'], { tasks: [c] }],
    [
      'a job cluster is removed by its key',
      { tasks: [a], job_clusters: [cluster('x'), cluster('y')] },
      {},
      ['job_clusters/x'],
      { tasks: [a], job_clusters: [cluster('y')] },
    ],
    [
      'removal comes first',
      { ...singleTaskJob, name: 'old' },
      { name: 'new' },
      ['name'],
      { ...singleTaskJob, name: 'new' },
    ],
    [
      'a task that is removed and given is the one that was given',
      { tasks: [{ ...a, max_retries: 3 }, c] },
      { tasks: [a] },
      ['tasks/a'],
      { tasks: [c, a] },
    ],
    ['all tasks are replaced', { tasks: [a, b] }, { tasks: [c] }, ['tasks'], { tasks: [c] }],
    [
      'what is not there can be removed',
      singleTaskJob,
      {},
      ['schedule', 'git_source', 'tasks/x', 'job_clusters/y'],
      singleTaskJob,
    ],
    [
      'a job becomes multi-task, and its format with it',
      { ...singleTaskJob, format: 'SINGLE_TASK' },
      { tasks: [a] },
      ['notebook_task', 'new_cluster'],
      { name: 'nightly', tasks: [a], format: 'MULTI_TASK' },
    ],
    [
      'a format that is given stays, for the check',
      singleTaskJob,
      { format: 'MULTI_TASK' },
      [],
      { ...singleTaskJob, format: 'MULTI_TASK' },
    ],
    [
      'one key twice stays twice, for the check',
      { tasks: [a] },
      {
        tasks: [
          { ...a, max_retries: 1 },
          { ...a, max_retries: 2 },
        ],
      },
      [],
      {
        tasks: [
          { ...a, max_retries: 1 },
          { ...a, max_retries: 2 },
        ],
      },
    ],
  ])('%s', (_name, stored, given, removed, expected) => {
    const before = structuredClone(stored);
    expect(mergeSettings(stored, given, removed)).toEqual(expected);
    expect(stored).toEqual(before);
  });

  test.each([
    'schedule.timezone_id',
    'schedule/timezone_id',
    'tasks/',
    'tasks/a/timeout_seconds',
    'tasks/a b',
    'tasks[0]',
    'libraries/0',
    'timeout',
    '',
    'TASKS/a',
    '__proto__',
    'constructor',
    'toString',
  ])('an unknown or nested name in fields_to_remove is refused and named: %j', (name) => {
    expect(() =>
      mergeSettings(
        { ...singleTaskJob, schedule: { quartz_cron_expression: '0 0 0 * * ?', timezone_id: 'UTC' } },
        {},
        ['name', name],
      ),
    ).toThrow(
      `fields_to_remove[1] is ${JSON.stringify(name)}; it must be a top-level field of the settings, tasks/<task_key> or job_clusters/<job_cluster_key>.`,
    );
  });
});

const keys = ['a', 'b', 'c', 'd'];
const taskOf = (key: string) =>
  fc
    .record({ description: fc.string(), max_retries: fc.nat(3) })
    .map((rest) => ({ ...sampleTask(key), ...rest }));
const clusterOf = (key: string) => fc.nat(9).map((workers) => cluster(key, workers));
const listOf = <Entry>(entryOf: (key: string) => fc.Arbitrary<Entry>) =>
  fc.subarray(keys).chain((chosen) => fc.tuple(...chosen.map(entryOf)));
const settings: fc.Arbitrary<JobSettings> = fc.record(
  {
    name: fc.string(),
    description: fc.string(),
    timeout_seconds: fc.nat(),
    max_concurrent_runs: fc.nat(1000),
    tags: fc.dictionary(fc.string(), fc.string()),
    email_notifications: fc.record({ on_start: fc.array(fc.string()) }),
    tasks: listOf(taskOf),
    job_clusters: listOf(clusterOf),
  },
  { requiredKeys: [] },
);
const removals = fc.subarray([
  'name',
  'tags',
  'timeout_seconds',
  'tasks',
  'job_clusters',
  ...keys.map((key) => `tasks/${key}`),
  ...keys.map((key) => `job_clusters/${key}`),
]);

/** The order of tasks and clusters means nothing; those that are removed and given again go to the end. */
function unordered({ tasks, job_clusters: clusters, ...rest }: JobSettings) {
  return {
    ...rest,
    tasks: tasks && Object.fromEntries(tasks.map((one) => [one.task_key, one])),
    clusters: clusters && Object.fromEntries(clusters.map((one) => [one.job_cluster_key, one])),
  };
}

describe('spec 4.1.3: whatever the settings are', () => {
  test('merging nothing, or the settings themselves, changes nothing', () => {
    fc.assert(
      fc.property(settings, (stored) => {
        expect(mergeSettings(stored, {})).toEqual(stored);
        expect(mergeSettings(stored, stored)).toEqual(stored);
      }),
    );
  });

  test('the same update a second time changes nothing', () => {
    fc.assert(
      fc.property(settings, settings, removals, (stored, given, removed) => {
        const once = mergeSettings(stored, given, removed);
        expect(unordered(mergeSettings(once, given, removed))).toEqual(unordered(once));
      }),
    );
  });

  test('what was given is there, what was only removed is not, all else is as it was', () => {
    fc.assert(
      fc.property(settings, settings, removals, (stored, given, removed) => {
        const { tasks, clusters, ...rest } = unordered(mergeSettings(stored, given, removed));
        const { tasks: tasksBefore, clusters: clustersBefore, ...restBefore } = unordered(stored);
        const { tasks: newTasks, clusters: newClusters, ...newRest } = unordered(given);
        const left = (object: object | undefined, prefix = '') =>
          Object.fromEntries(
            Object.entries(object ?? {}).filter(([key]) => !removed.includes(`${prefix}${key}`)),
          );
        expect(rest).toEqual({ ...left(restBefore), ...newRest });
        expect(tasks ?? {}).toEqual({
          ...(removed.includes('tasks') ? {} : left(tasksBefore, 'tasks/')),
          ...newTasks,
        });
        expect(clusters ?? {}).toEqual({
          ...(removed.includes('job_clusters') ? {} : left(clustersBefore, 'job_clusters/')),
          ...newClusters,
        });
      }),
    );
  });
});

describe('spec 4.1.2: reset', () => {
  test('only the new settings are left', () => {
    expect(resetSettings({ ...singleTaskJob, timeout_seconds: 5 }, { tasks: [a] })).toEqual({ tasks: [a] });
  });

  test('the job keeps running as whom it ran, unless the new settings say it', () => {
    const stored = { ...singleTaskJob, run_as: { user_name: 'ann' } };
    expect(resetSettings(stored, singleTaskJob)).toEqual(stored);
    expect(resetSettings(stored, { ...singleTaskJob, run_as: { user_name: 'bob' } } as JobSettings)).toEqual({
      ...singleTaskJob,
      run_as: { user_name: 'bob' },
    });
  });
});

describe('spec 4.1.2, 4.1.3: timeouts that reach active runs', () => {
  const job = (timeout_seconds?: number, ...tasks: [string, number?][]): JobSettings => ({
    ...(timeout_seconds !== undefined && { timeout_seconds }),
    tasks: tasks.map(([key, seconds]) => ({
      ...sampleTask(key),
      ...(seconds !== undefined && { timeout_seconds: seconds }),
    })),
  });
  const one = (timeout_seconds?: number): JobSettings => ({
    pipeline_task: taskBodies.pipeline_task,
    ...(timeout_seconds !== undefined && { timeout_seconds }),
  });

  test.each<[string, JobSettings, JobSettings, JobSettings | undefined]>([
    ['of the run', job(5, ['a']), job(9, ['a']), job(9, ['a'])],
    ['of the run, removed', job(5, ['a']), job(undefined, ['a']), job(undefined, ['a'])],
    [
      'of a task, by its key',
      job(undefined, ['a', 5], ['b']),
      job(undefined, ['b', 7], ['a', 6]),
      job(undefined, ['a', 6], ['b', 7]),
    ],
    ['of a task, removed', job(undefined, ['a', 5]), job(undefined, ['a']), job(undefined, ['a'])],
    [
      'a task that the job no longer has keeps its own',
      job(undefined, ['a', 5], ['b', 5]),
      job(undefined, ['b', 6], ['c', 1]),
      job(undefined, ['a', 5], ['b', 6]),
    ],
    ['none differs', job(5, ['a', 5]), { ...job(5, ['a', 5]), name: 'other' }, undefined],
    ['0 is none', job(0, ['a', 0]), job(undefined, ['a']), undefined],
    ['of a single-task run', one(5), one(6), one(6)],
    ['of a single-task run, removed', one(5), one(), one()],
    ['of a single-task run, set to none', one(5), one(0), one(0)],
    [
      'of a single-task run whose job has become multi-task: that of main',
      one(5),
      job(undefined, ['main', 7]),
      one(7),
    ],
    ['the shorter of the two', one(5), job(6, ['main', 7]), one(6)],
    ['the same at another place is no change', one(5), job(0, ['main', 5]), undefined],
    [
      'of a multi-task run whose job has become single-task',
      job(undefined, ['a', 5]),
      one(6),
      job(6, ['a', 5]),
    ],
  ])('%s', (_name, running, changed, expected) => {
    expect(applyTimeoutUpdate(running, changed)).toEqual(expected);
  });

  test('nothing but timeouts is taken over', () => {
    expect(
      applyTimeoutUpdate(job(5, ['a']), { ...job(6, ['a']), name: 'other', max_concurrent_runs: 7 }),
    ).toEqual(job(6, ['a']));
  });
});
