/** Pipelines on Spark Declarative Pipelines: definitions in SQL and Python, through HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  pipelinePath,
  putWorkspaceFile,
  readPublishedTable,
  runPipelineUpdate,
} from '../harness/pipelines.ts';
import { createSparkJobs } from '../harness/spark-jobs.ts';
import { findTestSpark, sparkSettings, sparkTitle } from '../harness/spark.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const spark = await findTestSpark();
/** A driver starts for every update, ms. */
const within = 240_000;

const specFile = `name: rain
storage: managed_fs:/pipelines/rain
schema: weather
libraries:
  - glob:
      include: transformations/**
configuration:
  landing: managed_fs:/rain
  runyard.pipeline.engine: spark
`;
const sqlFile = `CREATE OR REFRESH STREAMING TABLE measured (
  CONSTRAINT positive EXPECT (mm >= 0) ON VIOLATION DROP ROW,
  CONSTRAINT not_much EXPECT (mm < 100)
) COMMENT 'Measured rain' AS SELECT city, mm FROM STREAM read_files('\${landing}/*.csv', format => 'csv');
CREATE MATERIALIZED VIEW totals (CONSTRAINT wet EXPECT (mm > 5)) AS SELECT city, sum(mm) AS mm FROM live.measured GROUP BY city;
`;
const pythonFile = `from pyspark import pipelines as dp
from pyspark.sql import functions as f

@dp.temporary_view
def cities():
    return spark.read.csv(spark.conf.get("landing"), header=True, inferSchema=True).select("city").distinct()

@dp.table(name="copied", comment="Copy of the stream")
def copy_of_measured():
    return spark.readStream.table("measured").withColumn("tripled", f.col("mm") * 3)

@dp.materialized_view
def city_count():
    return spark.read.table("cities").agg(f.count("*").alias("cities"))
`;
const dltFile = `# Databricks notebook source
import dlt

# COMMAND ----------

@dlt.table(comment="Wet cities")
@dlt.expect_or_drop("wet", "mm > 5")
def wet_cities():
    return dlt.read("totals")

@dlt.expect_all({"known": "city IS NOT NULL"})
@dlt.table
def stream_of_measured():
    return dlt.read_stream("measured")
`;

describe.skipIf('missing' in spark)(sparkTitle('pipelines on Spark', spark), { timeout: 400_000 }, () => {
  let runyard: TestService;
  beforeAll(async () => {
    runyard = await startTestService(sparkSettings('local[2]'));
    const { put } = createSparkJobs(runyard);
    await put('/rain/1.csv', 'city,mm\nBerlin,3\nBerlin,4\nRome,-1\nRome,200\n');
    const files = { 'spark-pipeline.yml': specFile, 'transformations/a.sql': sqlFile };
    const python = { 'transformations/b.py': pythonFile, 'transformations/c.py': dltFile };
    for (const [path, text] of Object.entries({ ...files, ...python }))
      await putWorkspaceFile(runyard, `/rain/${path}`, text);
  });
  afterAll(() => runyard?.stop());

  const rows = (table: string, sql?: string) =>
    readPublishedTable(runyard.dataDirectory, 'pipelines/rain', table, sql);
  /** Returns the completed flows of the newest update: flow -> rows, dropped rows, failures by expectation. */
  const completed = async (): Promise<object> => {
    const { events } = await runyard.callOk('GET', pipelinePath('/rain', '/events'), {
      filter: "event_type = 'flow_progress'",
      max_results: 0,
    });
    const newest = events.filter(
      (event: ResponseBody) =>
        event.origin.update_id === events[0].origin.update_id &&
        event.details.flow_progress.status === 'COMPLETED',
    );
    return Object.fromEntries(
      newest.map(({ origin, details: { flow_progress: flow } }: ResponseBody) => [
        origin.flow_name,
        [
          flow.metrics.num_output_rows,
          flow.data_quality.dropped_records,
          Object.fromEntries(
            flow.data_quality.expectations.map((each: ResponseBody) => [each.name, each.failed_records]),
          ),
        ],
      ]),
    );
  };

  test('a pipeline_task computes tables of SQL, of pyspark.pipelines and of dlt, on a cluster of its own', async () => {
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'tables', pipeline_task: { pipeline_id: '/rain' } }],
    });
    const run = await runyard.waitForRunEnd(runId);
    const [task] = run.tasks;
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: task.run_id });
    expect([task.state.result_state, output.error]).toEqual(['SUCCESS', undefined]);
    expect(await rows('totals')).toMatchObject([
      { city: 'Berlin', mm: '7' },
      { city: 'Rome', mm: '200' },
    ]);
    expect(await rows('copied', 'SELECT max(tripled) AS most FROM t')).toMatchObject([{ most: 600 }]);
    expect(await rows('city_count')).toMatchObject([{ cities: '2' }]);
    expect(await completed()).toEqual({
      measured: [3, 1, { positive: 1, not_much: 1 }],
      totals: [2, 0, { wet: 0 }],
      copied: [3, 0, {}],
      city_count: [1, 0, {}],
      wet_cities: [2, 0, { wet: 0 }],
      stream_of_measured: [3, 0, { known: 0 }],
    });
    const { cluster_id: clusterId, spark_context_id: application } = task.cluster_instance;
    expect(application).toMatch(/^local-\d+$/);
    const cluster = await runyard.callOk('GET', '2.0/clusters/get', { cluster_id: clusterId });
    expect([cluster.state, cluster.termination_reason.code]).toEqual(['TERMINATED', 'JOB_FINISHED']);
  });

  test('a later update reads new files only, and a selection updates its tables only', async () => {
    await createSparkJobs(runyard).put('/rain/2.csv', 'city,mm\nOslo,9\n');
    const selection = { refresh_selection: ['measured'], full_refresh_selection: ['copied'] };
    const update = await runPipelineUpdate(runyard, '/rain', selection, within);
    expect(update).toMatchObject({ state: 'COMPLETED' });
    // Spark runs the two flows at the same time: the copy may begin before the new row.
    expect(await completed()).toEqual({
      measured: [1, 0, { positive: 0, not_much: 0 }],
      copied: [expect.toSatisfy((count: number) => count >= 3), 0, {}],
    });
    expect((await rows('totals')).length).toBe(2);
  });

  test('a violated expectation fails the update with its name and its file', async () => {
    await putWorkspaceFile(
      runyard,
      '/failing/tables.py',
      `import dlt
@dlt.table
@dlt.expect_or_fail("high", "id > 5")
def numbers():
    return spark.range(10)
`,
    );
    await runyard.callOk('POST', '2.0/pipelines', {
      name: 'failing',
      libraries: [{ file: { path: '/failing/tables.py' } }],
    });
    const failed = await runPipelineUpdate(runyard, 'failing', {}, within);
    expect(failed).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining(
        'Flow numbers failed: a row does not meet the expectation high (id > 5), which fails the update',
      ),
    });
  });

  test('an update of a storage with tables of the other engine is refused', async () => {
    await putWorkspaceFile(
      runyard,
      '/other/tables.sql',
      'CREATE MATERIALIZED VIEW t AS SELECT id FROM range(2);\n',
    );
    await runyard.callOk('POST', '2.0/pipelines', {
      name: 'other',
      storage: 'managed_fs:/pipelines/rain',
      libraries: [{ file: { path: '/other/tables.sql' } }],
      configuration: { 'runyard.pipeline.engine': 'duckdb' },
    });
    expect(await runPipelineUpdate(runyard, 'other')).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining(
        'The storage managed_fs:/pipelines/rain contains tables that Spark computed, and this update runs in DuckDB.',
      ),
    });
  });
});
