/** Updates that change the shape of a job: alternatives, and single-task jobs in 2.1 (spec 2, 9.3). */
import { describe, expect, test } from 'vitest';
import { mergeSettings, updateSettings } from '../../../../engine/job/merge-settings.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { newCluster, singleTaskJob, sampleTask, taskBodies } from './sample-settings.ts';

const cluster = { job_cluster_key: 'x', new_cluster: newCluster };
const b = sampleTask('b');

test.each<[string, JobSettings, JobSettings, object]>([
  [
    'an existing cluster replaces a new one',
    singleTaskJob,
    { existing_cluster_id: 'c-1' },
    { name: 'nightly', existing_cluster_id: 'c-1', notebook_task: taskBodies.notebook_task },
  ],
  [
    'a new cluster replaces an existing one',
    { existing_cluster_id: 'c-1', notebook_task: taskBodies.notebook_task },
    { new_cluster: newCluster },
    { new_cluster: newCluster, notebook_task: taskBodies.notebook_task },
  ],
  [
    'an empty cluster id replaces no cluster',
    singleTaskJob,
    { existing_cluster_id: '' },
    { ...singleTaskJob, existing_cluster_id: '' },
  ],
  [
    'a task kind replaces another one',
    singleTaskJob,
    { spark_jar_task: taskBodies.spark_jar_task },
    { name: 'nightly', new_cluster: newCluster, spark_jar_task: taskBodies.spark_jar_task },
  ],
  [
    'the task kind of a plugin replaces another one',
    singleTaskJob,
    { duck_task: { sql: 'select 1' } } as JobSettings,
    { name: 'nightly', new_cluster: newCluster, duck_task: { sql: 'select 1' } },
  ],
  [
    'two new alternatives are kept for the validation',
    { existing_cluster_id: 'c-1', notebook_task: taskBodies.notebook_task },
    { existing_cluster_id: 'c-2', new_cluster: newCluster },
    { existing_cluster_id: 'c-2', new_cluster: newCluster, notebook_task: taskBodies.notebook_task },
  ],
])('spec 2, 4.1.3: %s', (_name, stored, given, expected) => {
  expect(mergeSettings(stored, given)).toEqual(expected);
});

describe('spec 9.3: an update in 2.1 of a single-task job', () => {
  const stored: JobSettings = {
    ...singleTaskJob,
    timeout_seconds: 50,
    libraries: [{ jar: 'managed_fs:/a.jar' }],
    description: 'd',
  };
  const { description: _, ...withoutDescription } = stored;

  test.each<[string, JobSettings, string[], object]>([
    ['name', { name: 'x' }, [], { ...stored, name: 'x' }],
    ['tags', { tags: { team: 'data' } }, [], { ...stored, tags: { team: 'data' } }],
    ['limits', { max_concurrent_runs: 7 }, [], { ...stored, max_concurrent_runs: 7 }],
    ['the timeout', { timeout_seconds: 60 }, [], { ...stored, timeout_seconds: 60 }],
    [
      'e-mails',
      { email_notifications: { on_start: ['a@x'] } },
      [],
      { ...stored, email_notifications: { on_start: ['a@x'] } },
    ],
    ['fields to remove', {}, ['description', 'schedule'], withoutDescription],
    ['the format that it shows', { name: 'x', format: 'MULTI_TASK' }, [], { ...stored, name: 'x' }],
    [
      'empty lists that belong to tasks',
      { name: 'x', tasks: [], job_clusters: [], libraries: [] },
      [],
      { ...stored, name: 'x' },
    ],
    [
      'the removal of fields that it does not have in 2.1',
      {},
      ['notebook_task', 'libraries', 'tasks/other', 'job_clusters/x', 'job_clusters'],
      stored,
    ],
  ])('with %s leaves it single-task', (_name, changes, removed, expected) => {
    const before = structuredClone(stored);
    expect(updateSettings(stored, changes, removed, '2.1')).toEqual(expected);
    expect(stored).toEqual(before);
  });

  test.each<[string, JobSettings, string[], string[]]>([
    ['another task', { tasks: [b] }, [], ['main', 'b']],
    ['job clusters', { job_clusters: [cluster] }, [], ['main']],
    ['a single-task field, for the validation', { notebook_task: { notebook_path: '/x' } }, [], ['main']],
    ['the removal of its task', { tasks: [b] }, ['tasks/main'], ['b']],
  ])('with %s makes it multi-task', (_name, changes, removed, expected) => {
    const { tasks = [] } = updateSettings(stored, changes, removed, '2.2');
    expect(tasks.map(({ task_key }) => task_key)).toEqual(expected);
  });

  test('with an unknown field to remove is refused', () => {
    expect(() => updateSettings(stored, {}, ['nmae'], '2.1')).toThrow(/^fields_to_remove\[0\] is "nmae"/);
  });
});
