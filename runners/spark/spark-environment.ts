/** Environment variables with which programs find the Spark of their cluster. */
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SparkCluster } from '../../engine/run/assignment.ts';
import { eventLogDirectory } from '../../engine/run/spark-application.ts';
import { remoteUrlOf, type ConnectSession } from './connect-session.ts';

/** Directory of sitecustomize.py, which makes PySpark accept the paths of the stores. */
const pythonDirectory = fileURLToPath(new URL('./python', import.meta.url));

/** Tells whether all processes of a master are on this machine. */
export function isLocalMaster(master: string): boolean {
  return /^local(?:\[|$)|^spark:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(master);
}

/**
 * Returns the variables of the Spark of a cluster; those that extend a search path contain its existing
 * entries.
 * @param environment environment that they are added to
 */
export function sparkVariables(
  { home, confDirectory, pythonPath, python, master }: SparkCluster,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const extend = (name: string, added: readonly string[]): string =>
    [...(environment[name] ?? '').split(delimiter).filter((entry) => entry !== ''), ...added].join(delimiter);
  return {
    SPARK_HOME: home,
    SPARK_CONF_DIR: confDirectory,
    PYSPARK_PYTHON: python,
    PYSPARK_DRIVER_PYTHON: python,
    PYTHONPATH: extend('PYTHONPATH', [...pythonPath, pythonDirectory]),
    PATH: extend('PATH', [join(home, 'bin')]),
    ...(isLocalMaster(master) && { SPARK_LOCAL_IP: '127.0.0.1' }),
  };
}

/**
 * Returns the variables of an attempt: its session on the shared driver, or the arguments of a driver of its
 * own.
 */
export function attemptVariables(
  { driver, stores }: Pick<SparkCluster, 'driver' | 'stores'>,
  session: ConnectSession,
  { directory, temporary }: { readonly directory: string; readonly temporary: string },
): Record<string, string> {
  const common = { RUNYARD_SPARK_STORES: JSON.stringify(stores) };
  if (driver !== undefined) return { ...common, SPARK_REMOTE: remoteUrlOf(driver, session) };
  return {
    ...common,
    SPARK_LOCAL_DIRS: temporary,
    PYSPARK_SUBMIT_ARGS: `--conf spark.eventLog.dir=file://${eventDirectoryOf(directory)} pyspark-shell`,
  };
}

/** Returns the directory of the event logs of an attempt. */
export function eventDirectoryOf(attemptDirectory: string): string {
  return join(attemptDirectory, eventLogDirectory);
}
