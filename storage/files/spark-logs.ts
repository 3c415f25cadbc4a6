/** Logs of the Spark of a cluster that are delivered: drivers, executors, and event logs of applications. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { logStreams } from '../../engine/log-file.ts';
import { statIfExists, undefinedIfMissing } from '../../engine/read-file.ts';
import { eventLogDirectory, executorLogDirectory } from '../../engine/run/spark-application.ts';
import type { Mask } from '../../engine/run/masking.ts';
import type { DeliveredLog } from './append-logs.ts';

/** A driver: the shared one, or that of a task. */
interface Driver {
  readonly directory: string;
  /** Beginning of the names of its files. */
  readonly name: string;
  /** False for the driver of a task, whose output is that of the task. */
  readonly hasOutput: boolean;
}

/** Lists the logs of the drivers of a cluster and their executors, and the event logs of their applications. */
export async function listSparkLogs(
  clusterDirectory: string,
  runsDirectory: string,
  mask: Mask,
): Promise<DeliveredLog[]> {
  const files: DeliveredLog[] = [];
  for (const driver of await listDrivers(clusterDirectory, runsDirectory)) {
    const { directory, name, hasOutput } = driver;
    const isComplete = await hasEnded(directory);
    const sources = (path: string) => [{ path: join(directory, path), isComplete, mask }];
    if (hasOutput)
      for (const stream of logStreams)
        files.push({ target: `driver/${name}.${stream}`, sources: sources(stream) });
    for (const log of await listNames(join(directory, executorLogDirectory)))
      files.push({ target: `executor/${name}-${log}`, sources: sources(join(executorLogDirectory, log)) });
    for (const log of await listNames(join(directory, eventLogDirectory)))
      // An application that ends gives its event log another name.
      if (!log.startsWith('.') && (isComplete || !log.endsWith('.inprogress')))
        files.push({
          target: `eventlog/${log.replace(/\.inprogress$/, '')}`,
          sources: sources(join(eventLogDirectory, log)),
        });
  }
  return files;
}

async function listDrivers(clusterDirectory: string, runsDirectory: string): Promise<Driver[]> {
  const spark = join(clusterDirectory, 'spark');
  const entries = await readdir(spark, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing);
  const shared = (entries ?? [])
    .filter((entry) => entry.name === 'driver.json')
    .map((entry) => entry.parentPath)
    .toSorted();
  const tasks = (await listNames(join(spark, 'tasks'))).filter((name) => /^\d+$/.test(name));
  return [
    ...shared.map((directory, index) => ({ directory, name: `spark-${index + 1}`, hasOutput: true })),
    ...tasks.map((id) => ({ directory: join(runsDirectory, id), name: `run-${id}`, hasOutput: false })),
  ];
}

async function listNames(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(undefinedIfMissing)) ?? [];
}

/** Tells whether the process of a directory has ended. */
export async function hasEnded(directory: string): Promise<boolean> {
  return (
    (await statIfExists(join(directory, 'exit'))) !== undefined ||
    (await statIfExists(join(directory, 'stopped'))) !== undefined
  );
}
