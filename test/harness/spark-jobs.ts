/** Jobs of the Spark tests: the same files and tasks for every master. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstalledSpark } from '../../runners/spark/spark-runtime.ts';
import { createSparkApplications } from '../../runners/spark/spark-applications.ts';
import type { ApiClient, ResponseBody } from './api-client.ts';

/** A task that has ended. */
export interface EndedTask {
  readonly task: ResponseBody;
  readonly output: ResponseBody;
  readonly result: string;
  readonly message: string;
}

export interface SparkJobs {
  put(path: string, content: string | Buffer): Promise<unknown>;
  submit(task: object): Promise<number>;
  end(run: number): Promise<EndedTask>;
  /** Counts the running stages of a run. */
  stages(run: number): Promise<number>;
}

export function createSparkJobs(runyard: Pick<ApiClient, 'callOk' | 'waitForRunEnd'>): SparkJobs {
  return {
    put: (path, content) =>
      runyard.callOk('POST', '2.0/managed_fs/put', {
        path,
        contents: Buffer.from(content).toString('base64'),
        overwrite: true,
      }),
    submit: async (task) =>
      (await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks: [{ task_key: 'main', ...task }] }))
        .run_id,
    async stages(run) {
      const [task] = (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: run })).tasks;
      const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: task.run_id });
      return output.spark_progress?.active_stages.length ?? 0;
    },
    async end(run) {
      const [task] = (await runyard.waitForRunEnd(run)).tasks;
      const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: task.run_id });
      return { task, output, result: task.state.result_state, message: task.state.state_message };
    },
  };
}

export const rainFile = 'city,mm\nBerlin,3\nBerlin,4\nRome,1\n';

export const sumProgram = `import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("sum").getOrCreate()
rows = spark.read.csv("dbfs:/rain.csv", header=True, inferSchema=True)
rows.groupBy("city").sum("mm").write.mode("overwrite").json("dbfs:/out/sums")
print("total", rows.groupBy().sum("mm").collect()[0][0], spark.conf.get("spark.test.mark"), sys.argv[1])
`;

/** Computes until it is stopped. */
export const endlessProgram = `from pyspark.sql import SparkSession, functions as f
spark = SparkSession.builder.getOrCreate()
print("started", flush=True)
spark.range(0, 10**15, numPartitions=2).select(f.sum(f.sqrt("id"))).collect()
`;

export function hasProgram(program: string): boolean {
  try {
    execFileSync(program, ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Builds a JAR whose main class counts rows in Spark; fails with a wrapped cause for a negative number. */
export async function buildCountJar(
  installed: InstalledSpark | { readonly missing: string },
): Promise<Buffer> {
  if ('missing' in installed) throw new Error(installed.missing);
  const directory = await mkdtemp(join(tmpdir(), 'runyard-jar-'));
  try {
    await writeFile(
      join(directory, 'Count.java'),
      `import org.apache.spark.sql.SparkSession;
public class Count {
  public static void main(String[] a) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    long n = Long.parseLong(a[0]);
    try {
      if (n < 0) throw new IllegalStateException("no negative counts");
    } catch (IllegalStateException error) {
      throw new RuntimeException("wrapped", error);
    }
    System.out.println("count " + spark.range(n).count() + " " + spark.sparkContext().master() + " "
      + spark.conf().get("spark.test.mark") + " " + spark.conf().get("spark.driver.memory"));
  }
}`,
    );
    execFileSync('javac', ['-cp', join(installed.home, 'jars', '*'), 'Count.java'], { cwd: directory });
    execFileSync('jar', ['cf', 'count.jar', 'Count.class'], { cwd: directory });
    return await readFile(join(directory, 'count.jar'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Files of the newest driver of a cluster. */
export interface DriverFiles {
  readonly directory: string;
  readonly pid: number;
  /** Port that was chosen for Spark's own pages. */
  readonly pagesPort: number;
}

export async function driverOf(dataDirectory: string, clusterId: string): Promise<DriverFiles> {
  const parent = join(dataDirectory, 'clusters', clusterId, 'spark');
  const files = (await readdir(parent, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.name === 'driver.json')
    .map((entry) => entry.parentPath)
    .toSorted();
  const directory = files.at(-1) ?? '';
  const [pid] = (await readFile(join(directory, 'pid'), 'utf8')).split(' ');
  const pagesPort = Number(await readFile(join(directory, 'pages-port'), 'utf8'));
  return { directory, pid: Number(pid), pagesPort };
}

/** Counts the running stages of the driver of a cluster; 0 while there is no driver. */
export async function activeStages(dataDirectory: string, clusterId: string): Promise<number> {
  const [clusters, runs] = [join(dataDirectory, 'clusters'), join(dataDirectory, 'runs')];
  const applications = await createSparkApplications({ clusters, runs }).list(clusterId);
  return applications
    .filter(({ state, runId }) => state === 'RUNNING' && runId === undefined)
    .reduce((count, { application }) => count + application.stages.size, 0);
}
