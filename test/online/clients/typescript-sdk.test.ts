/**
 * The vendor's TypeScript SDK: its waiters, its block uploads and its cluster selectors. What needs no waiting
 * is tested in test/contract/clients.
 */
import { Time, TimeUnits, WorkspaceClient, type compute, type jobs } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { collectAll } from '../../contract/clients/sdk-results.ts';

/** The waiters poll with pauses of whole seconds, too long for `npm test`. */
const enabled = process.env['RUNYARD_TEST_ONLINE'] !== undefined;
const timeout = new Time(2, TimeUnits.minutes);

const program = `
import os, sys, time
print("program", sys.argv[1], flush=True)
if sys.argv[1] == "wait": time.sleep(600)
if sys.argv[1] == "wish" and not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/wish"): sys.exit("no wish")
`;

let runyard: TestService;
let client: WorkspaceClient;

/** Returns a task that runs the program with one argument. */
function programTask(word: string): jobs.Task & jobs.SubmitTask {
  return {
    task_key: word,
    existing_cluster_id: 'sdk',
    spark_python_task: { python_file: 'dbfs:/program.py', parameters: [word] },
  };
}

async function createJob(word: string): Promise<number> {
  const { job_id: jobId = 0 } = await client.jobs.create({ name: word, tasks: [programTask(word)] });
  return jobId;
}

describe.skipIf(!enabled)('TypeScript SDK', () => {
  beforeAll(async () => {
    runyard = await startTestService();
    client = new WorkspaceClient({ host: runyard.url, token: runyard.token, authType: 'pat' });
    await runyard.putFile('/program.py', program);
  });
  afterAll(() => runyard.stop());

  test('runNow waits for a successful run, whose output and list entry are readable', async () => {
    const jobId = await createJob('hello');
    const run = await (await client.jobs.runNow({ job_id: jobId })).wait({ timeout });
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
    const output = await client.jobs.getRunOutput({ run_id: run.tasks?.[0]?.run_id ?? 0 });
    expect(output.logs).toBe('program hello\n');
    const listed = await collectAll(client.jobs.listRuns({ job_id: jobId }));
    expect(listed.map(({ run_id: id }) => id)).toEqual([run.run_id]);
  });

  test('the waiter of a failed run raises, and the waiter of its repair returns', async () => {
    const waiter = await client.jobs.runNow({ job_id: await createJob('wish') });
    const runId = waiter.run_id ?? 0;
    await expect(waiter.wait({ timeout })).rejects.toThrow('got INTERNAL_ERROR');
    await runyard.putFile('/wish', '');
    const repair = await client.jobs.repairRun({ run_id: runId, rerun_all_failed_tasks: true });
    expect((await repair.wait({ timeout })).state?.result_state).toBe('SUCCESS');
  });

  test('cancelRun waits for the end of an active run, which can then be deleted', async () => {
    const jobId = await createJob('wait');
    const { run_id: runId = 0 } = await client.jobs.runNow({ job_id: jobId });
    await eventually(() => client.jobs.getRun({ run_id: runId }), {
      until: ({ state }) => state?.life_cycle_state === 'RUNNING',
    });
    const canceled = await (await client.jobs.cancelRun({ run_id: runId })).wait({ timeout });
    expect(canceled.state?.result_state).toBe('CANCELED');
    await client.jobs.deleteRun({ run_id: runId });
    await client.jobs.delete({ job_id: jobId });
    await expect(client.jobs.getRun({ run_id: runId })).rejects.toThrow('does not exist');
  });

  test('submit waits for a run on a new cluster', async () => {
    const { existing_cluster_id: _, ...task } = programTask('once');
    const new_cluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };
    const submitted = await client.jobs.submit({ run_name: 'once', tasks: [{ ...task, new_cluster }] });
    expect((await submitted.wait({ timeout })).state?.result_state).toBe('SUCCESS');
  });

  test('dbfs carries a file in blocks', async () => {
    const blocks = ['first ', 'second'].map((text) => Buffer.from(text).toString('base64'));
    const { handle = 0 } = await client.dbfs.create({ path: '/blocks.txt', overwrite: true });
    for (const data of blocks) await client.dbfs.addBlock({ handle, data });
    await client.dbfs.close({ handle });
    await client.dbfs.move({ source_path: '/blocks.txt', destination_path: '/moved.txt' });
    const { data, bytes_read: length } = await client.dbfs.read({ path: '/moved.txt', offset: 6, length: 3 });
    expect([Buffer.from(data ?? '', 'base64').toString(), length]).toEqual(['sec', 3]);
    await client.dbfs.delete({ path: '/moved.txt' });
  });

  test('clusters are chosen by their properties, created, restarted and stopped by waiters', async () => {
    const settings: compute.CreateCluster = {
      cluster_name: 'sdk',
      spark_version: await client.clusters.selectSparkVersion({ longTermSupport: true }),
      node_type_id: await client.clusters.selectNodeType({ localDisk: true, minCores: 2 }),
      num_workers: 1,
    };
    const cluster = await (await client.clusters.create(settings)).wait({ timeout });
    const cluster_id = cluster.cluster_id ?? '';
    const edit = await client.clusters.edit({ ...settings, cluster_id, cluster_name: 'edited' });
    const restart = async () => (await client.clusters.restart({ cluster_id })).wait({ timeout });
    const states = [cluster, await edit.wait({ timeout }), await restart()].map(({ state }) => state);
    expect(states).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
    const running = client.clusters.list({ filter_by: { cluster_states: ['RUNNING'] } });
    expect((await collectAll(running)).map(({ cluster_name: name }) => name)).toContain('edited');
    const stopped = await (await client.clusters.delete({ cluster_id })).wait({ timeout });
    expect(stopped.state).toBe('TERMINATED');
  });
});
