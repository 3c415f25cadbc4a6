/** Clusters that fail by injected faults or are terminated by a user (spec 2.4), through HTTP. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import {
  registerService,
  runyard,
  newCluster,
  task,
  after,
  submit,
  start,
  taskIn,
  running,
  clusterIdOf,
  cluster,
  eventsOf,
  typesOf,
} from './cluster-nodes-harness.ts';

registerService();

describe('spec 2.4: a failed cluster', () => {
  test('loss of a shared cluster ends its running task as INTERNAL_ERROR; later tasks get a new cluster', async () => {
    const runId = await start(
      [
        task('a', { job_cluster_key: 'lossy' }, ['never']),
        task('b', { job_cluster_key: 'lossy' }, undefined, { ...after('a'), run_if: 'ALL_DONE' }),
        task('c', { job_cluster_key: 'lossy' }, undefined, after('b')),
      ],
      [{ job_cluster_key: 'lossy', new_cluster: newCluster }],
    );
    const run = await runyard.waitForRunEnd(runId);
    const lost = clusterIdOf(run, 'a');
    expect(taskIn(run, 'a').state).toMatchObject({
      life_cycle_state: 'INTERNAL_ERROR',
      result_state: 'FAILED',
      state_message: expect.stringContaining(
        `Cluster ${lost} was terminated (CLOUD_PROVIDER_SHUTDOWN): Its nodes were lost (a fault that RUNYARD_FAULTS asks for)`,
      ),
    });
    expect([taskIn(run, 'b'), taskIn(run, 'c')].map((one) => one.state.result_state)).toEqual([
      'SUCCESS',
      'SUCCESS',
    ]);
    expect(clusterIdOf(run, 'b')).not.toBe(lost);
    expect(clusterIdOf(run, 'c')).toBe(clusterIdOf(run, 'b'));
    expect(await typesOf(lost)).toEqual(['CREATING', 'RUNNING', 'NODES_LOST', 'TERMINATING']);
    expect((await cluster(lost)).termination_reason).toMatchObject({
      code: 'CLOUD_PROVIDER_SHUTDOWN',
      type: 'CLOUD_FAILURE',
    });
    expect((await cluster(clusterIdOf(run, 'b'))).termination_reason).toEqual({
      code: 'JOB_FINISHED',
      type: 'SUCCESS',
      parameters: {},
    });
  });

  test('a retried task gets a new cluster of its own', async () => {
    const run = await runyard.waitForRunEnd(
      await submit(task('own-lossy', { new_cluster: newCluster }, ['go-lossy'], { max_retries: 1 })).then(
        async (runId) => {
          await runyard.waitForRun(runId, (shown) => shown.tasks.length === 2);
          await runyard.putFile('/go-lossy', '');
          return runId;
        },
      ),
    );
    expect(run.state.result_state).toBe('SUCCESS');
    expect(taskIn(run, 'own-lossy').state.life_cycle_state).toBe('INTERNAL_ERROR');
    expect(clusterIdOf(run, 'own-lossy', 1)).not.toBe(clusterIdOf(run, 'own-lossy'));
  });

  test('a cluster that cannot start ends its task as INTERNAL_ERROR; the next task gets a new cluster', async () => {
    const run = await runyard.waitForRunEnd(
      await start(
        [
          task('a', { job_cluster_key: 'broken' }),
          task('b', { job_cluster_key: 'broken' }, undefined, { ...after('a'), run_if: 'ALL_DONE' }),
        ],
        [{ job_cluster_key: 'broken', new_cluster: newCluster }],
      ),
    );
    expect(taskIn(run, 'a').state).toMatchObject({ life_cycle_state: 'INTERNAL_ERROR' });
    expect(taskIn(run, 'a').state.state_message).toContain(
      '(CLOUD_PROVIDER_LAUNCH_FAILURE): Its nodes could not be started',
    );
    expect(taskIn(run, 'b').state.result_state).toBe('SUCCESS');
    expect((await cluster(clusterIdOf(run, 'a'))).termination_reason).toMatchObject({
      code: 'CLOUD_PROVIDER_LAUNCH_FAILURE',
    });
  });

  test('a shared cluster that a user terminates is replaced', async () => {
    const runId = await start(
      [
        task('a', { job_cluster_key: 'etl' }, ['never']),
        task('b', { job_cluster_key: 'etl' }, undefined, { ...after('a'), run_if: 'ALL_DONE' }),
      ],
      [{ job_cluster_key: 'etl', new_cluster: newCluster }],
    );
    const ended = clusterIdOf(await running(runId, 'a'), 'a');
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id: ended });
    const run = await runyard.waitForRunEnd(runId);
    expect(taskIn(run, 'a').state.life_cycle_state).toBe('INTERNAL_ERROR');
    expect(taskIn(run, 'a').state.state_message).toMatch(/was terminated \(USER_REQUEST\): .* ended it\./);
    expect(taskIn(run, 'b').state.result_state).toBe('SUCCESS');
  });

  test('preempted workers are replaced while the task continues', async () => {
    const run = await runyard.waitForRunEnd(
      await submit(task('spot', { new_cluster: { ...newCluster, num_workers: 3 } }, ['go-spot'])).then(
        async (runId) => {
          const id = clusterIdOf(await running(runId, 'spot'), 'spot');
          await eventually(() => typesOf(id), { until: (types) => types.includes('UPSIZE_COMPLETED') });
          await runyard.putFile('/go-spot', '');
          return runId;
        },
      ),
    );
    expect(run.state.result_state).toBe('SUCCESS');
    const events = await eventsOf(clusterIdOf(run, 'spot'));
    expect(events.slice(2, 4).map(({ type, details }) => [type, details])).toEqual([
      ['NODES_LOST', { current_num_workers: 1, target_num_workers: 3 }],
      ['UPSIZE_COMPLETED', { current_num_workers: 3, target_num_workers: 3 }],
    ]);
  });
});
