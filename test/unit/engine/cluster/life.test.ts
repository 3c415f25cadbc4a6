/** Which cluster a task runs on, when a shared one has served, and how a cluster id looks (spec 2.4). */
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
  ['a cluster of its own', { new_cluster: own }, {}, { kind: 'own', spec: own }],
  ['a shared job cluster', { job_cluster_key: 'etl' }, settings, { kind: 'shared', key: 'etl', spec }],
  ['no cluster named, though the job has some', {}, settings, { kind: 'none' }],
  ['no cluster at all', {}, {}, { kind: 'none' }],
])('%s', (_name, task, job, expected) => {
  expect(clusterChoiceOf({ task_key: 'a', ...task }, job)).toEqual(expected);
});

describe('a shared cluster', () => {
  const user = (place: TaskPhase, key: string | undefined = 'etl') => ({
    settings: { task_key: 'a', ...(key !== undefined && { job_cluster_key: key }) },
    progress: progressByPhase[place],
  });

  test.each<[string, ReturnType<typeof user>[], boolean]>([
    ['has served when all its users are over', [user('success'), user('failed')], true],
    ['has served when its users were skipped', [user('skipped')], true],
    ['has served when its users met an internal error', [user('error')], true],
    ['has not served while a user runs', [user('success'), user('running')], false],
    ['has not served while a user is being cleaned up', [user('cleaning')], false],
    [
      'has not served while a user waits: it is not terminated when idle',
      [user('success'), user('waiting')],
      false,
    ],
    ['does not wait for users of another cluster', [user('success'), user('running', 'other')], true],
    [
      'does not wait for tasks without a shared cluster',
      [user('success'), { settings: { task_key: 'b' }, progress: progressByPhase.running }],
      true,
    ],
    ['has served when it has no users', [], true],
  ])('%s', (_name, tasks, expected) => {
    expect(isNoLongerNeeded('etl', tasks)).toBe(expected);
  });
});

test.each([
  ['2026-01-02T03:04:05.678Z', '0102-030405-abcdefgh'],
  ['2026-12-31T23:59:59.999Z', '1231-235959-abcdefgh'],
])('a cluster made at %s has the id %s', (time, id) => {
  expect(clusterIdAt(Date.parse(time), 'abcdefgh')).toBe(id);
});
