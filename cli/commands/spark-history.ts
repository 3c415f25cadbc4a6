/** `runyard spark history`: Spark's history server on the event logs that are kept for a cluster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sparkRuntimeOf } from '../../engine/cluster/compute.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import { noIsolation } from '../../runners/process/isolation.ts';
import { listEventDirectories } from '../../runners/spark/spark-applications.ts';
import { findSpark, sparkInstallCommand } from '../../runners/spark/spark-runtime.ts';
import { createRoots } from '../../storage/files/roots.ts';
import { readConfig } from '../config.ts';
import { sparkDirectory } from '../wiring/cache-directories.ts';
import { printLine } from './print-line.ts';

export interface SparkHistoryOptions {
  /** Id of the cluster. */
  readonly cluster: string;
  readonly port: string;
}

/** Serves until it is interrupted. Resolves with 1, and prints why, when there is nothing to serve. */
export async function serveSparkHistory({ cluster, port }: SparkHistoryOptions): Promise<number> {
  const config = readConfig();
  const { dataDirectory, allowedRoots, taskEnvironment: environment } = config;
  const root = sparkDirectory(config);
  const runtime = sparkRuntimeOf('', config.clusters);
  const home = await findSpark(runtime, { root, environment, isolation: noIsolation });
  if (home === undefined) {
    printLine(`PySpark is not installed. Run "${sparkInstallCommand}".`);
    return 1;
  }
  const roots = createRoots({ dataDirectory, allowedRoots, taskUser: undefined });
  const directories = { clusters: roots.clusters.directory, runs: roots.runs.directory };
  const logs = await mkdtemp(join(tmpdir(), 'runyard-history-'));
  try {
    const count = await linkEventLogs(await listEventDirectories(directories, cluster), logs);
    if (count === 0) {
      printLine(`No event log is kept for cluster ${cluster} in ${dataDirectory}.`);
      return 1;
    }
    printLine(`${count} applications: http://127.0.0.1:${port}/ (Ctrl+C ends it)`);
    return await serve(home, { ...environment, SPARK_HISTORY_OPTS: historyOptions(logs, port) });
  } finally {
    await rm(logs, { recursive: true, force: true });
  }
}

/** Gathers the event logs in one directory, where the server looks for them; returns their number. */
async function linkEventLogs(directories: readonly string[], target: string): Promise<number> {
  let count = 0;
  for (const directory of directories)
    for (const name of (await readdir(directory).catch(undefinedIfMissing)) ?? []) {
      if (name.startsWith('.')) continue;
      await symlink(join(directory, name), join(target, name));
      count += 1;
    }
  return count;
}

function historyOptions(logs: string, port: string): string {
  return [
    `-Dspark.history.fs.logDirectory=file://${logs}`,
    `-Dspark.history.ui.port=${port}`,
    '-Dspark.history.fs.cleaner.enabled=false',
  ].join(' ');
}

async function serve(home: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const server = spawn(join(home, 'bin', 'spark-class'), ['org.apache.spark.deploy.history.HistoryServer'], {
    env: { ...environment, SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // The signals of the terminal reach the server itself; this process waits for its end.
  const wait = (): void => undefined;
  process.on('SIGINT', wait).on('SIGTERM', () => server.kill('SIGTERM'));
  const [code] = await once(server, 'exit');
  return typeof code === 'number' && code < 128 ? code : 0;
}
