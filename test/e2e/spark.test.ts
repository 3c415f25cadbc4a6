/** Tasks on a cluster with a Spark of its own (master local[2]), through HTTP. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NotebookReport } from '../../engine/run/task-output.ts';
import { startSparkService, type SparkService } from '../harness/spark-service.ts';
import { findTestSpark, sparkTitle } from '../harness/spark.ts';
import { buildCountJar, driverOf, hasProgram, type SparkJobs } from '../harness/spark-jobs.ts';
import type { TestService } from '../harness/test-service.ts';

const installed = await findTestSpark();
const onlyWithSpark = describe.skipIf('missing' in installed);

onlyWithSpark(sparkTitle('a cluster with Spark', installed), { timeout: 240_000 }, () => {
  let spark: SparkService;
  let runyard: TestService;
  let cluster_id: string;
  const shared = (): object => ({ existing_cluster_id: cluster_id });
  const { put, submit, end }: Pick<SparkJobs, 'put' | 'submit' | 'end'> = {
    put: (...content) => spark.jobs.put(...content),
    submit: (task) => spark.jobs.submit(task),
    end: (run) => spark.jobs.end(run),
  };

  beforeAll(async () => {
    spark = await startSparkService();
    ({ runyard, cluster_id } = spark);
  });
  afterAll(() => runyard?.stop());

  const reportOf = async (taskRunId: number): Promise<NotebookReport> =>
    JSON.parse(
      await readFile(join(runyard.dataDirectory, 'runs', String(taskRunId), 'notebook.json'), 'utf8'),
    );

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
      'try:\n    sc.parallelize([1])\nexcept NotImplementedError as error:\n    print(error)'.replace(
        'sc.',
        'sc\\\n.',
      ),
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

  test('a SQL notebook runs in Spark, with widgets and paths of managed_fs', async () => {
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/report',
      language: 'SQL',
      format: 'SOURCE',
      content: Buffer.from(`-- Databricks notebook source
CREATE WIDGET TEXT least DEFAULT '2';
-- COMMAND ----------
-- MAGIC %md # Rain
-- COMMAND ----------
create or replace temporary view rain using csv options (path 'managed_fs:/rain.csv', header true);
select city, count(*) n from rain where int(mm) >= int(:least) group by city
`).toString('base64'),
    });
    const { task, result, output } = await end(
      await submit({ ...shared(), notebook_task: { notebook_path: '/report' } }),
    );
    expect([result, output.error]).toEqual(['SUCCESS', undefined]);
    const { language, cells } = await reportOf(task.run_id);
    expect([language, cells.map((cell) => cell.language), cells[2]?.outputs]).toMatchObject([
      'sql',
      ['sql', 'markdown', 'sql'],
      [{ rows: [['Berlin', 2]] }],
    ]);
  });

  test('sessions of two notebooks are isolated, and Spark reads and writes the stores by their paths', async () => {
    await runyard.putNotebook('/first', [
      'spark.range(3).createOrReplaceTempView("mine")\nspark.range(4).createOrReplaceGlobalTempView("ours")\nspark.conf.set("spark.test.mark", "changed")',
      'for base in ("managed_fs:/paths", "dbfs:/paths2", "objstore://lake/paths", "/Volumes/paths"):\n    spark.range(2).write.mode("overwrite").json(base)\n    print(spark.read.json(base).count(), spark.sql(f"select count(*) from json.`{base}`").collect()[0][0])\nprint([entry.name for entry in dbutils.fs.ls("dbfs:/paths") if entry.name == "_SUCCESS"])',
      'print(spark.read.text("file:/Workspace/data.txt").collect()[0][0], spark.read.text("workspace:/data.txt").count())',
    ]);
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/data.txt',
      format: 'AUTO',
      content: Buffer.from('from the workspace\n').toString('base64'),
    });
    await runyard.putNotebook('/second', [
      'print(spark.catalog.tableExists("mine"), spark.table("global_temp.ours").count(), spark.conf.get("spark.test.mark"))',
    ]);
    const printed = async (notebook_path: string): Promise<unknown> => {
      const { task, result, output } = await end(
        await submit({ ...shared(), notebook_task: { notebook_path } }),
      );
      expect([result, output.error]).toEqual(['SUCCESS', undefined]);
      return (await reportOf(task.run_id)).cells.flatMap(({ outputs }) =>
        outputs.map((one) => ('data' in one ? one.data : one.type)),
      );
    };
    expect(await printed('/first')).toEqual(["2 2\n2 2\n2 2\n2 2\n['_SUCCESS']\n", 'from the workspace 1\n']);
    expect(await printed('/second')).toEqual(['False 4 from spark_conf\n']);
  });

  test('a program that uses the Spark context gets a driver of its own, and its application is shown', async () => {
    await put(
      '/classic.py',
      `from pyspark import SparkContext
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("master", spark.sparkContext.master, spark.sparkContext.parallelize([1, 2]).sum(), spark.sparkContext.applicationId)
spark.range(1).rdd.map(lambda row: 1 / row.id).collect()
`,
    );
    const { task, output, result } = await end(
      await submit({ ...shared(), spark_python_task: { python_file: 'managed_fs:/classic.py' } }),
    );
    const { spark_context_id: id } = task.cluster_instance;
    expect([result, output.error]).toEqual(['FAILED', 'ZeroDivisionError: division by zero']);
    expect(output.logs).toContain(`master local[2] 3 ${id}\n`);
  });

  test('a SQL cell runs in DuckDB when spark_conf says so', async () => {
    await runyard.putNotebook('/duckdb', ['# MAGIC %sql\n# MAGIC select typeof(1::hugeint) kind']);
    const { task, result } = await end(
      await submit({
        new_cluster: {
          spark_version: '16.4.x-scala2.12',
          node_type_id: 'unknown',
          num_workers: 0,
          spark_conf: { 'runyard.sql': 'duckdb' },
        },
        notebook_task: { notebook_path: '/duckdb' },
      }),
    );
    expect([result, (await reportOf(task.run_id)).cells[0]?.outputs]).toMatchObject([
      'SUCCESS',
      [{ rows: [['HUGEINT']] }],
    ]);
  });

  test.skipIf(!hasProgram('javac'))('JAR and submit tasks run through the launcher of Spark', async () => {
    await put('/count.jar', await buildCountJar(installed));
    // An example of Spark itself.
    if (!('missing' in installed))
      await put('/pi.py', await readFile(join(installed.home, 'examples/src/main/python/pi.py'), 'utf8'));
    const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'tiny', num_workers: 1 };
    const runs = await Promise.all([
      submit({
        new_cluster: { ...newCluster, spark_conf: { 'spark.test.mark': 'mark' } },
        libraries: [{ jar: 'managed_fs:/count.jar' }],
        spark_jar_task: { main_class_name: 'Count', parameters: ['7'] },
      }),
      submit({
        new_cluster: newCluster,
        spark_submit_task: {
          parameters: ['--conf', 'spark.test.mark=mark', '--class', 'Count', 'managed_fs:/count.jar', '-1'],
        },
      }),
      submit({ new_cluster: newCluster, spark_submit_task: { parameters: ['managed_fs:/pi.py', '2'] } }),
    ]);
    const pi = await end(runs[2] ?? 0);
    expect([pi.result, pi.output.logs]).toEqual(['SUCCESS', expect.stringContaining('Pi is roughly 3.')]);
    const [counted, failed] = [await end(runs[0] ?? 0), await end(runs[1] ?? 0)];
    expect([counted.result, counted.output.logs]).toEqual([
      'SUCCESS',
      expect.stringContaining('count 7 local[2] mark tiny\n'.replace('tiny', '614m')),
    ]);
    expect(counted.task.cluster_instance.spark_context_id).toMatch(/^local-\d+$/);
    expect([failed.result, failed.output.error]).toEqual([
      'FAILED',
      'java.lang.IllegalStateException: no negative counts',
    ]);
  });

  test('the driver ends with its cluster', async () => {
    const { pid } = await driverOf(runyard.dataDirectory, cluster_id);
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const list = async (path: string): Promise<string[]> =>
      (await runyard.callOk('GET', '2.0/managed_fs/list', { path })).files.map((file: { path: string }) =>
        file.path.slice(file.path.lastIndexOf('/') + 1),
      );
    expect(await list(`/logs/${cluster_id}/driver`)).toContain('spark-2.stderr');
    expect(await list(`/logs/${cluster_id}/eventlog`)).toContainEqual(expect.stringMatching(/^local-\d+$/));
  });
});
