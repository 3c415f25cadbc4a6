/** Environment variables with which programs find the Spark of their cluster. */
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tryParseJson } from '../../engine/read-file.ts';
import type { SparkCluster } from '../../engine/run/assignment.ts';
import { eventLogDirectory } from '../../engine/run/spark-application.ts';

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

/** Variable with the options of a driver that a task starts itself. */
const optionsVariable = 'RUNYARD_SPARK_OPTIONS';

/** Returns the variables of an attempt that starts a driver of its own. */
export function ownDriverVariables({
  directory,
  temporary,
  pagesPort,
}: {
  readonly directory: string;
  readonly temporary: string;
  readonly pagesPort: number;
}): Record<string, string> {
  const options = driverOptions(directory, pagesPort);
  return {
    SPARK_LOCAL_DIRS: temporary,
    [optionsVariable]: JSON.stringify(options),
    PYSPARK_SUBMIT_ARGS: [...options, 'pyspark-shell'].join(' '),
  };
}

/** Returns the options of spark-submit that tell a driver where its event log and its pages are. */
export function driverOptions(directory: string, pagesPort: number): string[] {
  return [
    '--conf',
    `spark.eventLog.dir=file://${eventDirectoryOf(directory)}`,
    '--conf',
    `spark.ui.port=${pagesPort}`,
  ];
}

/** Returns the options of `ownDriverVariables`, for a task that calls spark-submit. */
export function ownDriverOptions(environment: Readonly<Record<string, string>>): string[] {
  const options = tryParseJson(environment[optionsVariable] ?? '');
  return Array.isArray(options) ? options.map(String) : [];
}

/** Returns the directory of the event logs of an attempt. */
export function eventDirectoryOf(attemptDirectory: string): string {
  return join(attemptDirectory, eventLogDirectory);
}
