/** Process of one update: reads and runs its plan, and writes the error of a failure. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import { readHead } from '../../engine/read-file.ts';
import { parsePreparedUpdate, updateFileNames, type UpdatePlan } from '../../engine/pipeline/update-plan.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import { openEventLog } from './event-log.ts';
import { FlowError } from './compute-table.ts';
import { SparkUpdateError } from './spark/spark-reports.ts';
import { runSparkUpdate } from './spark/spark-update.ts';
import { runUpdate } from './update.ts';

const [, , updateFile = '', python = '', eventLog = ''] = process.argv;
const attemptDirectory = dirname(updateFile);

async function main(): Promise<number> {
  const order = parsePreparedUpdate((await readHead(updateFile, Number.MAX_SAFE_INTEGER)).text);
  if (order === undefined || 'refused' in order) throw new Error(`${updateFile} is not a valid update plan.`);
  return executeUpdate(order);
}

async function executeUpdate(order: UpdatePlan): Promise<number> {
  const scratch = join(attemptDirectory, 'scratch');
  await mkdir(scratch, { recursive: true });
  await mkdir(order.storage.directory, { recursive: true, mode: 0o700 });
  const log = openEventLog(
    order.storage.directory,
    { pipeline_id: order.pipelineId, pipeline_name: order.pipelineName, update_id: order.updateId },
    systemClock,
    (line) => process.stdout.write(`${line}\n`),
  );
  try {
    if (order.compute === undefined) await runUpdate(order, scratch, log, systemClock);
    else await runSparkUpdate(order, scratch, log, { python, eventLog });
    return 0;
  } catch (error) {
    const message = replaceLocalPaths(messageOf(error), order);
    log.write({
      level: 'ERROR',
      event_type: 'update_progress',
      message: `Update ${order.updateId} failed: ${message}`,
      error: message,
      details: { update_progress: { state: 'FAILED' } },
    });
    await writeFileAtomically(
      join(attemptDirectory, updateFileNames.failure),
      JSON.stringify({ error: message, ...detailsOf(error, order) }),
    );
    return 1;
  } finally {
    log.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Returns what explains the failure of a flow: its file, and the query for the rows of an expectation. */
function detailsOf(error: unknown, order: UpdatePlan): object {
  if (error instanceof SparkUpdateError) return error.file === undefined ? {} : { file: error.file };
  if (!(error instanceof FlowError)) return {};
  const { rowsQuery, file } = error;
  return { file, ...(rowsQuery !== undefined && { rowsQuery: replaceLocalPaths(rowsQuery, order) }) };
}

/** Replaces local directories in a message by their URIs. */
function replaceLocalPaths(message: string, { storage, managedFs, objstore }: UpdatePlan): string {
  const names: [string, string][] = [
    [storage.directory, storage.uri],
    [managedFs, 'managed_fs:'],
    ...(objstore === undefined ? [] : [[objstore, 'objstore:/'] satisfies [string, string]]),
  ];
  return names.reduce((text, [directory, name]) => text.replaceAll(directory, name), message);
}

process.exitCode = await main();
