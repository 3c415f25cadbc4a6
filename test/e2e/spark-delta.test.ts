/** Delta tables: the package by `libraries`, write, merge and time travel in a notebook, and a table of a pipeline. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putWorkspaceFile, runPipelineUpdate } from '../harness/pipelines.ts';
import { createSparkJobs } from '../harness/spark-jobs.ts';
import { deltaPackage, deltaPySpark, findTestSpark, sparkSettings, sparkTitle } from '../harness/spark.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const spark = await findTestSpark(deltaPySpark);
/** Properties that make the SQL of Spark know Delta. */
const deltaConf = {
  'spark.sql.extensions': 'io.delta.sql.DeltaSparkSessionExtension',
  'spark.sql.catalog.spark_catalog': 'org.apache.spark.sql.delta.catalog.DeltaCatalog',
};
const library = { maven: { coordinates: deltaPackage } };

describe.skipIf('missing' in spark)(sparkTitle('Delta tables', spark), { timeout: 400_000 }, () => {
  let runyard: TestService;
  beforeAll(async () => {
    const { clusters, ...settings } = sparkSettings('local[2]');
    const { conf = {} } = clusters.sparkRuntimes['default'] ?? {};
    const sparkRuntimes = { [deltaPySpark]: { pyspark: deltaPySpark, conf } };
    runyard = await startTestService({ ...settings, clusters: { ...clusters, sparkRuntimes } });
  });
  afterAll(() => runyard?.stop());

  test('a notebook writes a table, merges rows into it, and reads an earlier version', async () => {
    const path = 'managed_fs:/delta/rain';
    await runyard.putNotebook('/delta', [
      `spark.createDataFrame([("Berlin", 3), ("Rome", 1)], "city string, mm int").write.format("delta").save("${path}")`,
      `# MAGIC %sql\n# MAGIC MERGE INTO delta.\`${path}\` old USING (SELECT 'Rome' city, 2 mm UNION ALL SELECT 'Oslo', 9) new\n# MAGIC ON old.city = new.city WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *`,
      `display(spark.read.format("delta").load("${path}").orderBy("city"))\ndisplay(spark.read.format("delta").option("versionAsOf", 0).load("${path}").orderBy("city"))`,
    ]);
    const jobs = createSparkJobs(runyard);
    const { task, result, output } = await jobs.end(
      await jobs.submit({
        new_cluster: {
          spark_version: deltaPySpark,
          node_type_id: 'unknown',
          num_workers: 0,
          spark_conf: deltaConf,
        },
        libraries: [library],
        notebook_task: { notebook_path: '/delta' },
      }),
    );
    expect([result, output.error, task.state.state_message]).toEqual(['SUCCESS', undefined, '']);
    const report = await readFile(
      join(runyard.dataDirectory, 'runs', String(task.run_id), 'notebook.json'),
      'utf8',
    );
    const shown: unknown = JSON.parse(report).cells[2].outputs.map((each: { rows: unknown }) => each.rows);
    expect(shown).toEqual([
      [
        ['Berlin', 3],
        ['Oslo', 9],
        ['Rome', 2],
      ],
      [
        ['Berlin', 3],
        ['Rome', 1],
      ],
    ]);
  });

  test('a pipeline has a Delta table', async () => {
    await putWorkspaceFile(
      runyard,
      '/squares/tables.sql',
      'CREATE MATERIALIZED VIEW squares USING delta AS SELECT id, id * id AS square FROM range(4);\n',
    );
    await runyard.callOk('POST', '2.0/pipelines', {
      name: 'squares',
      libraries: [{ file: { path: '/squares/tables.sql' } }, library],
      clusters: [{ label: 'default', spark_version: deltaPySpark, spark_conf: deltaConf }],
      configuration: { 'runyard.pipeline.engine': 'spark' },
    });
    const update = await runPipelineUpdate(runyard, 'squares', {}, 240_000);
    expect([update['state'], update['message']]).toEqual(['COMPLETED', expect.any(String)]);
    const table = join(runyard.dataDirectory, 'managed_fs/pipelines/squares/current/squares');
    expect(await readdir(table)).toContain('_delta_log');
  });
});
