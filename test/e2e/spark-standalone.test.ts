/**
 * The jobs of spark.test.ts on a standalone cluster, and the kill battery: each process of a computation is killed
 * in the middle of a query. SPARK_KILLS=50 kills 50 times instead of once each.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listProcesses } from '../../runners/process/process-group.ts';
import type { ResponseBody } from '../harness/api-client.ts';
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
import { commandOf, startStandaloneSpark, type StandaloneSpark } from '../harness/spark-standalone.ts';
import { findTestSpark, sparkCacheDirectory, sparkSettings, sparkTitle } from '../harness/spark.ts';

const spark = await findTestSpark();
const killCount = Number(process.env['SPARK_KILLS'] ?? 6);

/** Computes for some seconds in eight tasks, so that a killed process interrupts it. */
const longProgram = `from pyspark.sql import SparkSession, functions as f
spark = SparkSession.builder.getOrCreate()
print("sum", spark.range(0, 4 * 10**8, numPartitions=8).select(f.sum(f.sqrt("id"))).collect()[0][0] > 0)
`;

/** Computes in a driver of its own until it is stopped. */
const classicProgram = `from pyspark import SparkContext
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sparkContext.range(0, 10**12, numSlices=2).map(lambda value: value % 7).sum()
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
  /** Lists the processes of attempts, or of clusters. */
  const processesBelow = async (
    folder: 'runs' | 'clusters',
    command = /./,
  ): Promise<readonly { readonly pid: number }[]> => {
    const mark = `RUNYARD_ATTEMPT_DIR=${join(directory, folder)}/`;
    const found = (await listProcesses()).filter(
      ({ pid, variables }) => variables.some((one) => one.startsWith(mark)) && command.test(commandOf(pid)),
    );
    return found.map(({ pid }) => ({ pid, command: commandOf(pid).slice(0, 200) }));
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
    await jobs.put('/classic.py', classicProgram);
  }, 240_000);
  afterAll(async () => {
    await engine?.callOk('POST', '2.0/clusters/delete', { cluster_id });
    const left = [...(await processesBelow('runs')), ...(await processesBelow('clusters'))];
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

  /** Kills, by what is killed in the middle of a query. */
  const kills: Readonly<Record<string, () => Promise<void>>> = {
    async worker() {
      const run = await startQuery('managed_fs:/long.py');
      await standalone.kill('worker-1');
      await succeeds(run, 'sum True\n');
      await standalone.restart('worker-1');
    },
    async master() {
      const run = await startQuery('managed_fs:/long.py');
      await standalone.kill('master');
      await standalone.restart('master');
      await succeeds(run, 'sum True\n');
    },
    async engine() {
      const run = await startQuery('managed_fs:/long.py');
      const { pid } = await driverOf(directory, cluster_id);
      await engine.kill();
      await startEngine();
      await succeeds(run, 'sum True\n');
      expect((await driverOf(directory, cluster_id)).pid).toBe(pid);
    },
    async client() {
      const run = await startQuery('managed_fs:/endless.py');
      for (const { pid } of await processesBelow('runs')) process.kill(pid, 'SIGKILL');
      const { result } = await jobs.end(run);
      expect(result).not.toBe('SUCCESS');
    },
    async 'driver of a task'() {
      // The shared driver holds the executors of the workers, so this one computes itself.
      const run = await jobs.submit({
        new_cluster: {
          spark_version: '16.4.x-scala2.12',
          node_type_id: 'tiny',
          num_workers: 0,
          spark_conf: { 'spark.master': 'local[1]' },
        },
        spark_python_task: { python_file: 'managed_fs:/classic.py' },
      });
      await eventually(() => jobs.stages(run), { ...within, until: (count) => count > 0 });
      const [java] = await processesBelow('runs', /\bjava\b.*SparkSubmit/);
      process.kill(java?.pid ?? NaN, 'SIGKILL');
      const { result, output } = await jobs.end(run);
      expect([result, output.explanation]).toMatchObject([
        'FAILED',
        { cause: expect.stringContaining('The Spark driver of the task is gone'), cause_code: 'CLUSTER' },
      ]);
    },
    async 'Connect server'() {
      const run = await startQuery('managed_fs:/endless.py');
      process.kill(-(await driverOf(directory, cluster_id)).pid, 'SIGKILL');
      const { result, message } = await jobs.end(run);
      expect([result, message]).toEqual([
        'FAILED',
        expect.stringContaining(`The Spark driver of cluster ${cluster_id} was lost`),
      ]);
    },
  };
  const rounds = Array.from({ length: killCount }, (_, index) => {
    const kinds = Object.keys(kills);
    return [index + 1, kinds[index % kinds.length] ?? ''] as const;
  });

  test.each(rounds)('kill %i, of the %s: the run ends as it must, and nothing is left', async (_n, kind) => {
    await kills[kind]?.();
    await eventually(() => processesBelow('runs'), { ...within, until: (found) => found.length === 0 });
    await eventually(() => activeStages(directory, cluster_id), { ...within, until: (count) => count === 0 });
    const { applications } = await engine.callOk('GET', '2.1/clusters/list-spark-applications', {
      cluster_id,
    });
    const running = applications.filter((one: ResponseBody) => one.state === 'RUNNING');
    const ids = running.map((one: ResponseBody) => one.application_id);
    expect(ids.length).toBe(kind === 'Connect server' ? 0 : 1);
    await eventually(standalone.listExecutorApplications, {
      ...within,
      until: (found) => found.every((id) => ids.includes(id)),
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
