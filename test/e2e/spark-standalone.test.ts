/**
 * The jobs of spark.test.ts on a standalone cluster, and the kill battery: each process of a computation is killed
 * in the middle of a query. SPARK_KILLS=10 repeats every kill ten times.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listProcesses } from '../../runners/process/process-group.ts';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';
import { eventually } from '../harness/eventually.ts';
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
import { startStandaloneSpark, type StandaloneSpark } from '../harness/spark-standalone.ts';
import { findTestSpark, sparkCacheDirectory, sparkSettings, sparkTitle } from '../harness/spark.ts';

const spark = await findTestSpark();
const repeats = Number(process.env['SPARK_KILLS'] ?? 1);

/** Computes for some seconds in eight tasks, so that a killed process interrupts it. */
const longProgram = `from pyspark.sql import SparkSession, functions as f
spark = SparkSession.builder.getOrCreate()
print("sum", spark.range(0, 4 * 10**8, numPartitions=8).select(f.sum(f.sqrt("id"))).collect()[0][0] > 0)
`;

const within = { within: 120_000 } as const;

describe.skipIf('missing' in spark)(sparkTitle('a standalone Spark', spark), { timeout: 300_000 }, () => {
  let standalone: StandaloneSpark;
  let directory: string;
  let engine: EngineProcess;
  let jobs: SparkJobs;
  let cluster_id: string;
  const startEngine = async (): Promise<void> => {
    const { clusters, libraryEnvironment } = sparkSettings(standalone.url);
    engine = await startEngineProcess(directory, {
      RUNYARD_CLUSTERS: JSON.stringify({
        spark_master: standalone.url,
        node_types: { tiny: { memory_mb: 1_024, num_cores: 1 } },
        spark_runtimes: clusters.sparkRuntimes,
      }),
      RUNYARD_SPARK_CACHE_DIR: sparkCacheDirectory,
      RUNYARD_LIBRARY_ENV: JSON.stringify(libraryEnvironment),
      RUNYARD_STOP_GRACE_MS: '500',
      RUNYARD_LEASE_MS: '2000',
    });
    jobs = createSparkJobs(engine);
  };
  const program = (python_file: string): object => ({
    existing_cluster_id: cluster_id,
    spark_python_task: { python_file, parameters: ['word'] },
  });
  /** Starts a program and waits until its query runs. */
  const startQuery = async (file: string): Promise<number> => {
    const run = await jobs.submit(program(file));
    await eventually(() => activeStages(directory, cluster_id), { ...within, until: (count) => count > 0 });
    return run;
  };
  const succeeds = async (run: number, logs: string): Promise<void> => {
    const { result, output } = await jobs.end(run);
    expect([result, output.error, output.logs]).toEqual([
      'SUCCESS',
      undefined,
      expect.stringContaining(logs),
    ]);
  };

  beforeAll(async () => {
    if ('missing' in spark) return;
    standalone = await startStandaloneSpark(spark);
    directory = await mkdtemp(join(tmpdir(), 'runyard-engine-'));
    await startEngine();
    cluster_id = (
      await engine.callOk('POST', '2.0/clusters/create', {
        cluster_name: 'shared',
        spark_version: '16.4.x-scala2.12',
        node_type_id: 'tiny',
        num_workers: 2,
        spark_conf: { 'spark.test.mark': 'from spark_conf' },
      })
    ).cluster_id;
    await jobs.put('/rain.csv', rainFile);
    await jobs.put('/sum.py', sumProgram);
    await jobs.put('/endless.py', endlessProgram);
    await jobs.put('/long.py', longProgram);
  }, 240_000);
  afterAll(async () => {
    await engine?.callOk('POST', '2.0/clusters/delete', { cluster_id });
    const left = (await listProcesses()).filter(({ variables }) =>
      variables.some((variable) => variable.startsWith(`RUNYARD_ATTEMPT_DIR=${directory}/`)),
    );
    await engine?.terminate();
    await standalone?.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  test('the same Python task runs unchanged', async () => {
    const run = await jobs.submit(program('managed_fs:/sum.py'));
    await succeeds(run, 'total 8 from spark_conf word\n');
    const { task } = await jobs.end(run);
    expect(task.cluster_instance.spark_context_id).toMatch(/^app-\d+-\d+$/);
  });

  describe.each(Array.from({ length: repeats }, (_, index) => index + 1))('kill battery, round %i', () => {
    test('a lost worker does not fail the run', async () => {
      const run = await startQuery('managed_fs:/long.py');
      await standalone.kill('worker-1');
      await succeeds(run, 'sum True\n');
      await standalone.restart('worker-1');
    });

    test('a restarted master is survived', async () => {
      const run = await startQuery('managed_fs:/long.py');
      await standalone.kill('master');
      await standalone.restart('master');
      await succeeds(run, 'sum True\n');
    });

    test('a killed engine adopts the task and its driver', async () => {
      const run = await startQuery('managed_fs:/long.py');
      const { pid } = await driverOf(directory, cluster_id);
      await engine.kill();
      await startEngine();
      await succeeds(run, 'sum True\n');
      expect((await driverOf(directory, cluster_id)).pid).toBe(pid);
    });

    test('a killed client fails the run, and its query stops', async () => {
      const run = await startQuery('managed_fs:/endless.py');
      const mark = `RUNYARD_ATTEMPT_DIR=${join(directory, 'runs')}/`;
      for (const { pid, variables } of await listProcesses())
        if (variables.some((one) => one.startsWith(mark))) process.kill(pid, 'SIGKILL');
      const { result } = await jobs.end(run);
      expect(result).not.toBe('SUCCESS');
      await eventually(() => activeStages(directory, cluster_id), {
        ...within,
        until: (count) => count === 0,
      });
    });

    test('a killed driver fails the run with an explanation', async () => {
      const run = await startQuery('managed_fs:/endless.py');
      process.kill(-(await driverOf(directory, cluster_id)).pid, 'SIGKILL');
      const { result, message } = await jobs.end(run);
      expect([result, message]).toEqual([
        'FAILED',
        expect.stringContaining(`The Spark driver of cluster ${cluster_id} was lost`),
      ]);
    });
  });

  test.skipIf(!hasProgram('javac'))('the same JAR runs unchanged', async () => {
    await jobs.put('/count.jar', await buildCountJar(spark));
    await engine.callOk('POST', '2.0/clusters/delete', { cluster_id });
    const run = await jobs.submit({
      new_cluster: {
        spark_version: '16.4.x-scala2.12',
        node_type_id: 'tiny',
        num_workers: 1,
        spark_conf: { 'spark.test.mark': 'mark' },
      },
      libraries: [{ jar: 'managed_fs:/count.jar' }],
      spark_jar_task: { main_class_name: 'Count', parameters: ['7'] },
    });
    await succeeds(run, `count 7 ${standalone.url} mark 614m\n`);
  });
});
