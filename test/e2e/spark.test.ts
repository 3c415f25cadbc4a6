/** Tasks on a cluster with a Spark of its own (master local[2]), through HTTP. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NotebookReport } from '../../engine/run/task-output.ts';
import { eventually } from '../harness/eventually.ts';
import { findTestSpark, sparkSettings, sparkTitle } from '../harness/spark.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const spark = await findTestSpark();
const onlyWithSpark = describe.skipIf('missing' in spark);

onlyWithSpark(sparkTitle('a cluster with Spark', spark), { timeout: 240_000 }, () => {
  let runyard: TestService;
  let cluster_id: string;
  const shared = (): object => ({ existing_cluster_id: cluster_id });
  const put = (path: string, content: string) =>
    runyard.callOk('POST', '2.0/managed_fs/put', {
      path,
      contents: Buffer.from(content).toString('base64'),
      overwrite: true,
    });
  const submit = async (task: object): Promise<number> =>
    (await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks: [{ task_key: 'main', ...task }] })).run_id;
  const end = async (run: number) => {
    const { tasks } = await runyard.waitForRunEnd(run);
    const [task] = tasks;
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: task.run_id });
    return { task, output, result: task.state.result_state, message: task.state.state_message };
  };
  const reportOf = async (taskRunId: number): Promise<NotebookReport> =>
    JSON.parse(await readFile(join(runyard.dataDirectory, 'runs', String(taskRunId), 'notebook.json'), 'utf8'));

  beforeAll(async () => {
    runyard = await startTestService(sparkSettings('local[2]'));
    cluster_id = (
      await runyard.callOk('POST', '2.0/clusters/create', {
        cluster_name: 'shared',
        spark_version: '16.4.x-scala2.12',
        node_type_id: 'unknown',
        num_workers: 0,
        spark_conf: { 'spark.test.mark': 'from spark_conf' },
      })
    ).cluster_id;
    await put('/rain.csv', 'city,mm\nBerlin,3\nBerlin,4\nRome,1\n');
    await put(
      '/sum.py',
      `import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("sum").getOrCreate()
rows = spark.read.csv("dbfs:/rain.csv", header=True, inferSchema=True)
rows.groupBy("city").sum("mm").write.mode("overwrite").json("dbfs:/out/sums")
print("total", rows.groupBy().sum("mm").collect()[0][0], spark.conf.get("spark.test.mark"), sys.argv[1])
`,
    );
  });
  afterAll(() => runyard?.stop());

  test('a Python task gets a session by getOrCreate, the files of managed_fs and spark_conf', async () => {
    const { task, output, result } = await end(
      await submit({
        ...shared(),
        spark_python_task: { python_file: 'managed_fs:/sum.py', parameters: ['word'] },
      }),
    );
    expect([result, output.logs, output.error]).toEqual([
      'SUCCESS',
      expect.stringContaining('total 8 from spark_conf word\n'),
      undefined,
    ]);
    expect(task.cluster_instance).toEqual({
      cluster_id,
      spark_context_id: expect.stringMatching(/^local-\d+$/),
    });
  });

  test('a notebook shares its session between Python and %sql, and shows typed tables', async () => {
    await runyard.putNotebook('/cells', [
      'df = spark.read.csv("managed_fs:/rain.csv", header=True, inferSchema=True)\ndf.createOrReplaceTempView("rain")',
      '# MAGIC %sql\n# MAGIC select city, sum(mm) mm from rain -- a; comment\n# MAGIC where city <> :other group by city; ',
      'print(_sqldf.collect()[0].mm, type(sqlContext).__name__)\ndisplay(spark.range(2))',
      'try:\n    sc.parallelize([1])\nexcept NotImplementedError as error:\n    print(error)'.replace('sc.', 'sc\\\n.'),
    ]);
    const { task, result, output } = await end(
      await submit({
        ...shared(),
        notebook_task: { notebook_path: '/cells', base_parameters: { other: 'Rome' } },
      }),
    );
    expect([result, output.error]).toEqual(['SUCCESS', undefined]);
    const { cells } = await reportOf(task.run_id);
    expect(cells.map(({ outputs }) => outputs)).toEqual([
      [],
      [
        {
          type: 'table',
          columns: [
            { name: 'city', type: 'string' },
            { name: 'mm', type: 'bigint' },
          ],
          rows: [['Berlin', 7]],
        },
      ],
      [
        { type: 'stdout', data: '7 SQLContext\n' },
        { type: 'table', columns: [{ name: 'id', type: 'bigint' }], rows: [[0], [1]] },
      ],
      [
        {
          type: 'stdout',
          data: 'sc.parallelize is not available in a Spark Connect session. Set "runyard.spark.session": "classic" in spark_conf of the cluster: then the notebook gets a driver of its own with a SparkContext.\n',
        },
      ],
    ]);
  });

  test('a cancelled task stops its Spark job, and the driver serves the next task', async () => {
    await put(
      '/endless.py',
      `from pyspark.sql import SparkSession, functions as f
spark = SparkSession.builder.getOrCreate()
print("started", flush=True)
spark.range(0, 10**15, numPartitions=2).select(f.sum(f.sqrt("id"))).collect()
`,
    );
    const run = await submit({
      ...shared(),
      spark_python_task: { python_file: 'managed_fs:/endless.py' },
    });
    const stages = () => activeStages(runyard, cluster_id);
    await eventually(stages, { until: (count) => count > 0, within: 120_000 });
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: run });
    expect((await end(run)).result).toBe('CANCELED');
    await eventually(stages, { until: (count) => count === 0 });
  });

  test('a lost driver fails the task with an explanation, and the next task gets another driver', async () => {
    const run = await submit({
      ...shared(),
      spark_python_task: { python_file: 'managed_fs:/endless.py' },
    });
    await eventually(() => activeStages(runyard, cluster_id), { until: (count) => count > 0, within: 120_000 });
    const { pid } = await driverOf(runyard, cluster_id);
    process.kill(-pid, 'SIGKILL');
    const lost = await end(run);
    expect([lost.result, lost.message]).toEqual([
      'FAILED',
      expect.stringMatching(
        `^The Spark driver of cluster ${cluster_id} was lost: (?:its process is gone without an exit code|it ended with exit code 137 .*)\\. What it computed`,
      ),
    ]);
    const next = await end(
      await submit({
        ...shared(),
        spark_python_task: { python_file: 'managed_fs:/sum.py', parameters: ['again'] },
      }),
    );
    expect([next.result, next.output.error]).toEqual(['SUCCESS', undefined]);
  });

  test('the driver ends with its cluster', async () => {
    const { pid } = await driverOf(runyard, cluster_id);
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

/** Reads the files of the newest driver of a cluster. */
async function driverOf(
  { dataDirectory }: Pick<TestService, 'dataDirectory'>,
  clusterId: string,
): Promise<{ readonly directory: string; readonly pid: number; readonly ui: number }> {
  const { readdir } = await import('node:fs/promises');
  const parent = join(dataDirectory, 'clusters', clusterId, 'spark');
  const files = (await readdir(parent, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.name === 'driver.json')
    .map((entry) => entry.parentPath)
    .toSorted();
  const directory = files.at(-1) ?? '';
  const [pid] = (await readFile(join(directory, 'pid'), 'utf8')).split(' ');
  const [, ui] = /'SparkUI' on port (\d+)/.exec(await readFile(join(directory, 'stderr'), 'utf8')) ?? [];
  return { directory, pid: Number(pid), ui: Number(ui) };
}

/** Counts the running stages of the driver of a cluster; 0 while there is none. */
async function activeStages(service: TestService, clusterId: string): Promise<number> {
  const { ui } = await driverOf(service, clusterId).catch(() => ({ ui: NaN }));
  if (Number.isNaN(ui)) return 0;
  const base = `http://127.0.0.1:${ui}/api/v1/applications`;
  const [application] = (await (await fetch(base)).json()) as { id: string }[];
  const found = await fetch(`${base}/${application?.id}/stages?status=active`);
  return ((await found.json()) as unknown[]).length;
}
