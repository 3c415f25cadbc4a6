/** Clusters that wait for nodes of a pool or scale with their tasks (spec 2.8), through HTTP. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  registerService,
  runyard,
  newCluster,
  inThree,
  task,
  submit,
  start,
  running,
  clusterIdOf,
  cluster,
  eventsOf,
  typesOf,
  waitForCluster,
  held,
} from './cluster-nodes-harness.ts';

registerService();

describe('spec 2.8 nodes of a pool: a task whose cluster waits for nodes', () => {
  test('is PENDING with a message that names the pool; clusters start in the order of their requests, and all nodes are released', async () => {
    const first = await submit(task('a', { new_cluster: inThree }, ['go-1']));
    await running(first, 'a');
    const second = await submit(
      task(
        'a',
        { new_cluster: { ...inThree, instance_pool_id: undefined, policy_id: 'small', num_workers: 2 } },
        ['go-2'],
      ),
    );
    const waiting = await runyard.waitForRun(second, (run) =>
      run.tasks[0].state.state_message.includes('waits for'),
    );
    expect(waiting.tasks[0].state.life_cycle_state).toBe('PENDING');
    expect(waiting.tasks[0].state.state_message).toBe(
      `Cluster ${clusterIdOf(waiting, 'a')} waits for 3 nodes of the pool "three", which has 3, held by task a of run ${first}`,
    );
    expect(await cluster(clusterIdOf(waiting, 'a'))).toMatchObject({
      state: 'PENDING',
      state_message: 'Waiting for 3 nodes',
      node_type_id: 'standard-4',
      driver_node_type_id: 'standard-4',
    });
    // One node is free, but another cluster waits before this one.
    const third = await submit(task('a', { new_cluster: { ...inThree, num_workers: 0 } }));
    await runyard.waitForRun(third, (run) =>
      run.tasks[0].state.state_message.includes('waits for 1 node of'),
    );
    await runyard.putFile('/go-1', '');
    await running(second, 'a');
    expect(await held()).toBe(3);
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: third })).tasks[0].state.life_cycle_state,
    ).toBe('PENDING');
    await runyard.putFile('/go-2', '');
    for (const runId of [first, second, third])
      expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
    expect(await held()).toBe(0);
  });

  test('can be cancelled or time out while it waits, and the next waiting cluster starts', async () => {
    const first = await submit(task('a', { new_cluster: { ...inThree, num_workers: 2 } }, ['go-3']));
    await running(first, 'a');
    const late = await submit(task('a', { new_cluster: inThree }, undefined, { timeout_seconds: 1 }));
    const cancelled = await submit(task('a', { new_cluster: { ...inThree, num_workers: 2 } }));
    const behind = await submit(task('a', { new_cluster: inThree }));
    await runyard.waitForRun(behind, (run) => run.tasks[0].state.state_message.includes('waits for'));
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: cancelled });
    expect((await runyard.waitForRunEnd(cancelled)).tasks[0].state.result_state).toBe('CANCELED');
    expect((await runyard.waitForRunEnd(late)).tasks[0].state.result_state).toBe('TIMEDOUT');
    await runyard.putFile('/go-3', '');
    expect((await runyard.waitForRunEnd(behind)).state.result_state).toBe('SUCCESS');
    await runyard.waitForRunEnd(first);
    expect(await held()).toBe(0);
  });

  test('ends as INTERNAL_ERROR at once when the pool is too small for its cluster', async () => {
    const run = await runyard.waitForRunEnd(
      await submit(task('a', { new_cluster: { ...inThree, num_workers: 3 } })),
    );
    expect(run.tasks[0].state).toMatchObject({ life_cycle_state: 'INTERNAL_ERROR' });
    expect(run.tasks[0].state.state_message).toBe(
      `Cluster ${clusterIdOf(run, 'a')} was terminated (INSTANCE_POOL_CLUSTER_FAILURE): It needs 4 nodes (1 driver + 3 workers), but the pool "three" has only 3, so it can never start. Set num_workers to 2, or raise the capacity in RUNYARD_CLUSTERS.`,
    );
  });
});

describe('spec 2.8 autoscale', () => {
  test('the cluster starts with min_workers, grows with its tasks up to max_workers and shrinks again; clusters/get shows the desired number', async () => {
    const { num_workers: _none, ...sizeless } = newCluster;
    const shared = {
      job_cluster_key: 'elastic',
      new_cluster: { ...sizeless, autoscale: { min_workers: 1, max_workers: 2 } },
    };
    const runId = await start(
      [
        task('a', { job_cluster_key: 'elastic' }, ['go-a']),
        task('b', { job_cluster_key: 'elastic' }, ['go-b']),
        task('c', { job_cluster_key: 'elastic' }, ['go-c']),
      ],
      [shared],
    );
    await runyard.waitForRun(runId, (run) =>
      run.tasks.every((one: ResponseBody) => one.state.life_cycle_state === 'RUNNING'),
    );
    const id = clusterIdOf(await running(runId, 'a'), 'a');
    await waitForCluster(id, (shown) => shown.num_workers === 2);
    expect(await cluster(id)).toMatchObject({
      state: 'RUNNING',
      autoscale: { min_workers: 1, max_workers: 2 },
    });
    await runyard.putFile('/go-a', '');
    await runyard.putFile('/go-b', '');
    await waitForCluster(id, (shown) => shown.num_workers === 1);
    await runyard.putFile('/go-c', '');
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
    expect(await typesOf(id)).toEqual([
      'CREATING',
      'RUNNING',
      'RESIZING',
      'UPSIZE_COMPLETED',
      'RESIZING',
      'TERMINATING',
    ]);
    const resizing = (await eventsOf(id))
      .filter((event) => event.type === 'RESIZING')
      .map((event) => event.details);
    expect(resizing).toEqual([
      { current_num_workers: 1, target_num_workers: 2 },
      { current_num_workers: 2, target_num_workers: 1 },
    ]);
  });
});
