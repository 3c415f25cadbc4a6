/**
 * Measures Spark with master local[2]: the first query on a cold and on a warm cluster, a second notebook on the
 * warm cluster, bare Spark beside them in each round, and the memory of an idle driver. Arguments: PATH of the
 * tasks, number of rounds. Uses the PySpark of RUNYARD_SPARK_CACHE_DIR,
 * or installs it there.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultPySpark } from '../engine/cluster/compute.ts';
import { systemClock } from '../engine/clock.ts';
import { createTemporaryDirectory, startEngineUnderTest } from './engine-under-test.ts';

const program = `from pyspark.sql import SparkSession
print(SparkSession.builder.getOrCreate().range(1000).selectExpr("sum(id)").collect())
`;
const notebook = '# Databricks notebook source\nprint(spark.range(1000).selectExpr("sum(id)").collect())\n';

const cache = join(homedir(), '.cache', 'runyard', 'spark');
const directory = await createTemporaryDirectory();
const path = process.argv[2] ?? '/usr/local/bin:/usr/bin:/bin';
const engine = await startEngineUnderTest(directory.path, path, {
  HOME: homedir(),
  RUNYARD_CLUSTERS: '{"spark_master":"local[2]"}',
  RUNYARD_SPARK_CACHE_DIR: cache,
});
const encode = (text: string): string => Buffer.from(text).toString('base64');
await engine.call('POST', '2.0/managed_fs/put', { path: '/sum.py', contents: encode(program) });
await engine.call('POST', '2.0/workspace/import', {
  path: '/sum',
  language: 'PYTHON',
  content: encode(notebook),
});
const { cluster_id } = await engine.call('POST', '2.0/clusters/create', {
  spark_version: '17.3.x-scala2.13',
  node_type_id: 'standard-2',
  num_workers: 0,
});

/** Runs a task on the cluster and returns its duration from the request to its end, ms. */
async function measureTask(task: object): Promise<number> {
  const before = systemClock.now();
  const { run_id } = await engine.call('POST', '2.1/jobs/runs/submit', {
    existing_cluster_id: cluster_id,
    ...task,
  });
  for (;;) {
    const text = JSON.stringify(await engine.call('GET', `2.1/jobs/runs/get?run_id=${String(run_id)}`));
    if (/"result_state":"SUCCESS"/.test(text)) return systemClock.now() - before;
    if (/"life_cycle_state":"(?:TERMINATED|INTERNAL_ERROR|SKIPPED)"/.test(text)) throw new Error(text);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

const pythonTask = { spark_python_task: { python_file: 'managed_fs:/sum.py' } };
const notebookTask = { notebook_task: { notebook_path: '/sum' } };
/** Rounds; the table has the median of each measurement. */
const rounds = Number(process.argv[3] ?? 3);
const cold: number[] = [];
const bare: number[] = [];
const warm: number[] = [];
const notebooks: number[] = [];
const memory: number[] = [];
// Installs PySpark where it is missing, and reads its files for the first time.
await measureTask(pythonTask);
for (let round = 0; round < rounds; round += 1) {
  await engine.call('POST', '2.0/clusters/delete', { cluster_id });
  bare.push(await measureBare(round));
  cold.push(await measureTask(pythonTask));
  warm.push(await measureTask(pythonTask));
  // The first notebook warms nothing up that a second one needs; both have sessions of their own.
  await measureTask(notebookTask);
  notebooks.push(await measureTask(notebookTask));
  memory.push(await driverMegabytes());
}
const seconds = (values: readonly number[]): string => `${(medianOf(values) / 1_000).toFixed(2)} s`;
const results: [string, string][] = [
  ['Bare spark-submit', seconds(bare)],
  ['Python task, cold cluster', `${seconds(cold)} (${(medianOf(cold) / medianOf(bare)).toFixed(2)} x bare)`],
  ['Python task, warm cluster', seconds(warm)],
  ['Second notebook, warm cluster', seconds(notebooks)],
  ['Memory of an idle driver', `${medianOf(memory).toFixed(0)} MB`],
];
process.stdout.write(results.map(([name, value]) => `${name.padEnd(32)}${value}\n`).join(''));
await engine.call('POST', '2.0/clusters/delete', { cluster_id });
await engine.stop();
await directory.remove();

/** Returns the resident memory of the Connect server, found by its token. */
async function driverMegabytes(): Promise<number> {
  const sizes = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
        if (!environment.includes(`RUNYARD_ATTEMPT_DIR=${directory.path}/clusters/`)) return 0;
        const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
        return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
      }),
  );
  return Math.max(...sizes);
}

/** Runs the same program by spark-submit of the same PySpark. */
async function measureBare(round: number): Promise<number> {
  const { home, entry } = await findDefaultSpark();
  const work = join(directory.path, `bare-${round}`);
  await mkdir(work);
  await writeFile(join(work, 'sum.py'), program);
  const before = systemClock.now();
  await promisify(execFile)(join(home, 'bin', 'spark-submit'), ['--master', 'local[2]', 'sum.py'], {
    cwd: work,
    env: { PATH: path, SPARK_HOME: home, PYTHONPATH: entry, SPARK_LOCAL_IP: '127.0.0.1' },
  });
  return systemClock.now() - before;
}

/** Returns the PySpark of the service; the cache may hold other versions too. */
async function findDefaultSpark(): Promise<{ readonly home: string; readonly entry: string }> {
  for (const name of await readdir(join(cache, 'spark'))) {
    const entry = join(cache, 'spark', name);
    const version = await readFile(join(entry, 'pyspark', 'version.py'), 'utf8').catch(() => '');
    if (version.includes(`'${defaultPySpark}'`) || version.includes(`"${defaultPySpark}"`))
      return { home: join(entry, 'pyspark'), entry };
  }
  throw new Error(`PySpark ${defaultPySpark} is not in ${cache}.`);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
