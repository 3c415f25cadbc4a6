/** Tasks on a cluster with a Spark of its own (master local[2]), through HTTP. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NotebookReport } from '../../engine/run/task-output.ts';
import { eventually } from '../harness/eventually.ts';
import { findTestSpark, sparkSettings, sparkTitle } from '../harness/spark.ts';
import {
  activeStages,
  buildCountJar,
  createSparkJobs,
  driverOf,
  endlessProgram,
  hasProgram,
  rainFile,
  sumProgram,
  type SparkJobs,
} from '../harness/spark-jobs.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const spark = await findTestSpark();
const onlyWithSpark = describe.skipIf('missing' in spark);

onlyWithSpark(sparkTitle('a cluster with Spark', spark), { timeout: 240_000 }, () => {
  let runyard: TestService;
  let cluster_id: string;
  const shared = (): object => ({ existing_cluster_id: cluster_id });
  let jobs: SparkJobs;
  const { put, submit, end }: Pick<SparkJobs, 'put' | 'submit' | 'end'> = {
    put: (...content) => jobs.put(...content),
    submit: (task) => jobs.submit(task),
    end: (run) => jobs.end(run),
  };
  const reportOf = async (taskRunId: number): Promise<NotebookReport> =>
    JSON.parse(
      await readFile(join(runyard.dataDirectory, 'runs', String(taskRunId), 'notebook.json'), 'utf8'),
    );

  beforeAll(async () => {
    runyard = await startTestService(sparkSettings('local[2]'));
    jobs = createSparkJobs(runyard);
    cluster_id = (
      await runyard.callOk('POST', '2.0/clusters/create', {
        cluster_name: 'shared',
        spark_version: '16.4.x-scala2.12',
        node_type_id: 'unknown',
        num_workers: 0,
        spark_conf: { 'spark.test.mark': 'from spark_conf' },
        cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } },
      })
    ).cluster_id;
    await put('/rain.csv', rainFile);
    await put('/sum.py', sumProgram);
    await put('/endless.py', endlessProgram);
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

  test('while a query runs, its stages are shown for the task and for the cluster, with the pages of Spark', async () => {
    const run = await submit({ ...shared(), spark_python_task: { python_file: 'managed_fs:/endless.py' } });
    try {
      await eventually(() => activeStages(runyard.dataDirectory, cluster_id), {
        until: (count) => count > 0,
        within: 120_000,
      });
      const [task] = (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: run })).tasks;
      const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: task.run_id });
      expect(output.spark_progress).toMatchObject({
        num_jobs: 1,
        num_completed_jobs: 0,
        num_tasks: 2,
        num_completed_tasks: 0,
        active_stages: [{ num_tasks: 2, num_completed_tasks: 0 }],
      });
      const { applications } = await runyard.callOk('GET', '2.1/clusters/list-spark-applications', {
        cluster_id,
      });
      expect(applications).toMatchObject([
        {
          state: 'RUNNING',
          name: 'shared',
          spark_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
          application_id: output.spark_progress.application_id,
          executors: [{ executor_id: 'driver', num_cores: 2 }],
          active_stages: [{ num_tasks: 2 }],
        },
      ]);
      const [{ pages_url: pages, application_id: id }] = applications;
      const page = await fetch(pages);
      expect([page.status, page.url, page.headers.get('content-security-policy')]).toEqual([
        200,
        `${pages}jobs/`,
        expect.stringContaining('sandbox allow-scripts'),
      ]);
      const { pathname } = new URL(pages);
      expect(await page.text()).toContain(`href="${pathname}stages/"`);
      const list = await fetch(`${pages}api/v1/applications`);
      expect(await list.json()).toMatchObject([{ id }]);
      const status = async (path: string, init: RequestInit = {}): Promise<number> =>
        (await fetch(`${pages}${path}`, init)).status;
      const refused = [
        await status('jobs/job/kill/?id=0'),
        await status('static//x'),
        await status('jobs/', { method: 'POST' }),
        (await fetch(pages.replace(/[^/]+\/$/, 'x/'))).status,
      ];
      expect(refused).toEqual([400, 400, 401, 403]);
      // Without the signature of the service, Spark shows nothing.
      const { pagesPort } = await driverOf(runyard.dataDirectory, cluster_id);
      expect((await fetch(`http://127.0.0.1:${pagesPort}/jobs/`)).status).toBe(403);
    } finally {
      await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: run });
    }
    expect((await end(run)).result).toBe('CANCELED');
    await eventually(() => activeStages(runyard.dataDirectory, cluster_id), {
      until: (count) => count === 0,
    });
  });

  test('a timeout stops the Spark job of a task, and the driver serves the next task', async () => {
    const tasks = [
      { task_key: 'main', ...shared(), spark_python_task: { python_file: 'managed_fs:/endless.py' } },
    ];
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', { tasks });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
    const stages = () => activeStages(runyard.dataDirectory, cluster_id);
    await eventually(stages, { until: (count) => count > 0, within: 120_000 });
    await runyard.callOk('POST', '2.1/jobs/update', { job_id, new_settings: { timeout_seconds: 1 } });
    expect((await end(run_id)).result).toBe('TIMEDOUT');
    await eventually(stages, { until: (count) => count === 0 });
  });

  test('a failed function of the user is the error of the task and of the cell, with its place', async () => {
    const failing =
      'from pyspark.sql import SparkSession, functions as f\nspark = SparkSession.builder.getOrCreate()\ndef parse(value):\n    return int("x" + str(value))\nspark.range(2).select(f.udf(parse, "int")("id")).collect()\n';
    await put('/failing.py', failing);
    await runyard.putNotebook('/failing', [failing]);
    const program = await submit({
      ...shared(),
      spark_python_task: { python_file: 'managed_fs:/failing.py' },
    });
    const notebook = await submit({ ...shared(), notebook_task: { notebook_path: '/failing' } });
    const error = /^ValueError: invalid literal for int\(\) with base 10: 'x[01]'$/;
    for (const { result, output, message } of [await end(program), await end(notebook)]) {
      expect([result, output.error]).toEqual(['FAILED', expect.stringMatching(error)]);
      expect(message).toMatch(/^Workload failed, see run output for details: ValueError: invalid literal/);
      expect(output.explanation.cause_code).toBe('USER_CODE');
    }
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

  test('a lost driver fails the task with an explanation, and the next task gets another driver', async () => {
    const run = await submit({ ...shared(), spark_python_task: { python_file: 'managed_fs:/endless.py' } });
    await eventually(() => activeStages(runyard.dataDirectory, cluster_id), {
      until: (count) => count > 0,
      within: 120_000,
    });
    const { pid } = await driverOf(runyard.dataDirectory, cluster_id);
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
    await put('/count.jar', await buildCountJar(spark));
    // An example of Spark itself.
    if (!('missing' in spark))
      await put('/pi.py', await readFile(join(spark.home, 'examples/src/main/python/pi.py'), 'utf8'));
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
