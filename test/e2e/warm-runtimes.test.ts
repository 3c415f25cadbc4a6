/** Clusters with the runtime warm, through HTTP: their tasks, a kill of the engine, and their end. */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startEngineProcess } from '../harness/engine-process.ts';
import { eventually } from '../harness/eventually.ts';
import { createLocalProvider } from '../../runners/warm/local-provider.ts';

/** Waits until the fork server of its cluster accepts connections. */
const first = `import glob, os, time
clusters = os.path.join(os.path.dirname(os.environ["RUNYARD_MANAGED_FS"]), "clusters")
while not glob.glob(os.path.join(clusters, os.environ["RUNYARD_CLUSTER_ID"], "warm", "*", "*", "socket")):
    time.sleep(0.01)
`;
/** Shows how it was started, and waits. */
const second = `import os, sys, time
print("fork_server" in open(f"/proc/{os.getppid()}/cmdline").read(), "colorsys" in sys.modules)
while not os.path.exists(os.path.join(os.environ["RUNYARD_MANAGED_FS"], "go")): time.sleep(0.01)
print(os.environ["RUNYARD_TASK_KEY"])
`;

test('tasks of a warm job cluster survive kill -9 of the engine, and the fork server ends with the cluster', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'runyard warm '));
  await chmod(dataDirectory, 0o711);
  const variables = { RUNYARD_WARM_IMPORTS: 'colorsys' };
  let engine = await startEngineProcess(dataDirectory, variables);
  onTestFinished(async () => {
    await engine.kill();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  for (const [name, text] of Object.entries({ first, second })) {
    await engine.callOk('POST', '2.0/managed_fs/put', {
      path: `/${name}.py`,
      contents: Buffer.from(text).toString('base64'),
    });
  }
  const { job_id: jobId } = await engine.callOk('POST', '2.1/jobs/create', {
    name: 'warm',
    job_clusters: [
      {
        job_cluster_key: 'shared',
        new_cluster: {
          spark_version: '16.4.x-scala2.12',
          node_type_id: 'standard-4',
          num_workers: 0,
          runtime: 'warm',
        },
      },
    ],
    tasks: ['first', 'second'].map((key, index) => ({
      task_key: key,
      job_cluster_key: 'shared',
      depends_on: index === 0 ? [] : [{ task_key: 'first' }],
      spark_python_task: { python_file: `managed_fs:/${key}.py` },
    })),
  });
  const { run_id: runId } = await engine.callOk('POST', '2.1/jobs/run-now', { job_id: jobId });
  const { tasks } = await engine.callOk('GET', '2.1/jobs/runs/get', { run_id: runId });
  const { run_id: secondId } = tasks.find((task: ResponseBody) => task.task_key === 'second');
  const log = join(dataDirectory, 'runs', String(secondId), 'stdout');
  await eventually(() => existsSync(log) && readFileSync(log, 'utf8').includes('\n'), { until: Boolean });
  const provider = createLocalProvider(join(dataDirectory, 'clusters'));
  expect(await provider.listClusters()).toHaveLength(1);
  await engine.kill();
  engine = await startEngineProcess(dataDirectory, variables);
  await writeFile(join(dataDirectory, 'managed_fs', 'go'), '');
  const run = await engine.waitForRunEnd(runId);
  expect(run.state).toMatchObject({ result_state: 'SUCCESS' });
  expect(run.tasks.map((task: ResponseBody) => task.attempt_number)).toEqual([0, 0]);
  expect(readFileSync(log, 'utf8')).toBe('True True\nsecond\n');
  expect(await createLocalProvider(join(dataDirectory, 'clusters')).listClusters()).toEqual([]);
});
