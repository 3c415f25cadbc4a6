/** Settings after reset and update: removal, replacement, and merging by key (spec 4.1 rules 2 and 3). */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeSettings, resetSettings } from '../../../../engine/job/merge-settings.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { newCluster, singleTaskJob, sampleTask } from './sample-settings.ts';

const cluster = (job_cluster_key: string, num_workers = 1) => ({
  job_cluster_key,
  new_cluster: { ...newCluster, num_workers },
});
const [a, b, c] = [sampleTask('a'), sampleTask('b', 'a'), sampleTask('c')];

describe('spec 4.1.3: update', () => {
  test.each<[string, JobSettings, JobSettings, string[], object]>([
    ['empty new settings change nothing', singleTaskJob, {}, [], singleTaskJob],
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
      'parameters are replaced, not merged',
      { tasks: [a], parameters: [{ name: 'p', default: '1' }] },
      { parameters: [{ name: 'q', default: '2' }] },
      [],
      { tasks: [a], parameters: [{ name: 'q', default: '2' }] },
    ],
    [
      'a task with the key of another replaces it as a whole',
      { tasks: [{ ...a, max_retries: 3 }, b] },
      { tasks: [{ ...a, description: 'd' }] },
      [],
      { tasks: [{ ...a, description: 'd' }, b] },
    ],
    ['a task with a new key is appended', { tasks: [a] }, { tasks: [c] }, [], { tasks: [a, c] }],
    ['an empty list of tasks changes no task', { tasks: [a] }, { tasks: [] }, [], { tasks: [a] }],
    [
      'job clusters are merged by key',
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
      'an unknown stored field is removed',
      { ...singleTaskJob, x_unknown: 1 } as JobSettings,
      {},
      ['x_unknown'],
      singleTaskJob,
    ],
    ['a task is removed by its key', { tasks: [a, c] }, {}, ['tasks/a'], { tasks: [c] }],
    [
      'a job cluster is removed by key',
      { tasks: [a], job_clusters: [cluster('x'), cluster('y')] },
      {},
      ['job_clusters/x'],
      { tasks: [a], job_clusters: [cluster('y')] },
    ],
    [
      'removal precedes replacement',
      { ...singleTaskJob, name: 'old' },
      { name: 'new' },
      ['name'],
      { ...singleTaskJob, name: 'new' },
    ],
    [
      'a task that is removed and given is replaced by the given one',
      { tasks: [{ ...a, max_retries: 3 }, c] },
      { tasks: [a] },
      ['tasks/a'],
      { tasks: [c, a] },
    ],
    ['all tasks are replaced', { tasks: [a, b] }, { tasks: [c] }, ['tasks'], { tasks: [c] }],
    [
      'removing missing fields has no effect',
      singleTaskJob,
      {},
      ['schedule', 'git_source', 'tasks/x', 'job_clusters/y'],
      singleTaskJob,
    ],
    [
      'the format changes when a job becomes multi-task',
      { ...singleTaskJob, format: 'SINGLE_TASK' },
      { tasks: [a] },
      ['notebook_task', 'new_cluster'],
      { name: 'nightly', tasks: [a], format: 'MULTI_TASK' },
    ],
    [
      'a given format is kept for the validation',
      singleTaskJob,
      { format: 'MULTI_TASK' },
      [],
      { ...singleTaskJob, format: 'MULTI_TASK' },
    ],
    [
      'duplicate keys are kept for the validation',
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
  ])('the unknown or nested name %j in fields_to_remove is refused', (name) => {
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

/** Returns settings with tasks and clusters by key, because their order is irrelevant. */
function unordered({ tasks, job_clusters: clusters, ...rest }: JobSettings) {
  return {
    ...rest,
    tasks: tasks && Object.fromEntries(tasks.map((one) => [one.task_key, one])),
    clusters: clusters && Object.fromEntries(clusters.map((one) => [one.job_cluster_key, one])),
  };
}

describe('spec 4.1.3: an update of any settings', () => {
  test('with no fields, or with the settings themselves, changes nothing', () => {
    fc.assert(
      fc.property(settings, (stored) => {
        expect(mergeSettings(stored, {})).toEqual(stored);
        expect(mergeSettings(stored, stored)).toEqual(stored);
      }),
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(settings, settings, removals, (stored, given, removed) => {
        const once = mergeSettings(stored, given, removed);
        expect(unordered(mergeSettings(once, given, removed))).toEqual(unordered(once));
      }),
    );
  });

  test('has the given fields, lacks the removed ones, and keeps all others', () => {
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
  test('only the new settings remain', () => {
    expect(resetSettings({ ...singleTaskJob, timeout_seconds: 5 }, { tasks: [a] })).toEqual({ tasks: [a] });
  });

  test('run_as is kept unless the new settings set it', () => {
    const stored = { ...singleTaskJob, run_as: { user_name: 'ann' } };
    expect(resetSettings(stored, singleTaskJob)).toEqual(stored);
    expect(resetSettings(stored, { ...singleTaskJob, run_as: { user_name: 'bob' } } as JobSettings)).toEqual({
      ...singleTaskJob,
      run_as: { user_name: 'bob' },
    });
  });
});
