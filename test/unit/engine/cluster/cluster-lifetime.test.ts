/** Cluster of a task, lifetime of a shared cluster, and cluster ids (spec 2.4). */
import { describe, expect, test } from 'vitest';
import { clusterIdAt } from '../../../../engine/cluster/cluster.ts';
import {
  clusterChoiceOf,
  isNoLongerNeeded,
  type ClusterChoice,
} from '../../../../engine/run/cluster-choice.ts';
import type { JobSettings, TaskSettings } from '../../../../engine/job/settings.ts';
import { progressByPhase, type TaskPhase } from '../run/task-states.ts';

const spec = { num_workers: 1, spark_version: '15.4', node_type_id: 'small' };
const own = { ...spec, num_workers: 2 };
const settings: JobSettings = {
  job_clusters: [
    { job_cluster_key: 'other', new_cluster: own },
    { job_cluster_key: 'etl', new_cluster: spec },
  ],
};

test.each<[string, Partial<TaskSettings>, JobSettings, ClusterChoice]>([
  [
    'an existing cluster',
    { existing_cluster_id: '0101-000000-abcdefgh' },
    {},
    { kind: 'existing', clusterId: '0101-000000-abcdefgh' },
  ],
  ['a new cluster', { new_cluster: own }, {}, { kind: 'own', spec: own }],
  ['a shared job cluster', { job_cluster_key: 'etl' }, settings, { kind: 'shared', key: 'etl', spec }],
  ['no cluster, although the job has shared ones', {}, settings, { kind: 'none' }],
  ['no cluster', {}, {}, { kind: 'none' }],
])('the cluster choice of a task with %s is returned', (_name, task, job, expected) => {
  expect(clusterChoiceOf({ task_key: 'a', ...task }, job)).toEqual(expected);
});

describe('a shared cluster', () => {
  const user = (phase: TaskPhase, key: string | undefined = 'etl') => ({
    settings: { task_key: 'a', ...(key !== undefined && { job_cluster_key: key }) },
    progress: progressByPhase[phase],
  });

  test.each<[string, ReturnType<typeof user>[], boolean]>([
    ['is no longer needed when all its tasks are over', [user('success'), user('failed')], true],
    ['is no longer needed when its tasks were skipped', [user('skipped')], true],
    ['is no longer needed when its tasks had an internal error', [user('error')], true],
    ['is needed while a task runs', [user('success'), user('running')], false],
    ['is needed while a task is being cleaned up', [user('cleaning')], false],
    ['is needed while a task waits, even if it is idle', [user('success'), user('waiting')], false],
    [
      'is no longer needed when only tasks of another cluster run',
      [user('success'), user('running', 'other')],
      true,
    ],
    [
      'is no longer needed when only tasks without a shared cluster run',
      [user('success'), { settings: { task_key: 'b' }, progress: progressByPhase.running }],
      true,
    ],
    ['is no longer needed without tasks', [], true],
  ])('%s', (_name, tasks, expected) => {
    expect(isNoLongerNeeded('etl', tasks)).toBe(expected);
  });
});

test.each([
  ['2026-01-02T03:04:05.678Z', '0102-030405-abcdefgh'],
  ['2026-12-31T23:59:59.999Z', '1231-235959-abcdefgh'],
])('a cluster created at %s has the id %s', (time, id) => {
  expect(clusterIdAt(Date.parse(time), 'abcdefgh')).toBe(id);
});
