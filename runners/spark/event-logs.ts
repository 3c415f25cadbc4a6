/** Event logs of Spark applications: one file of JSON lines per application, named by its id. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegularFile, readRange, undefinedIfMissing } from '../../engine/read-file.ts';
import { newestApplicationId } from '../../engine/run/spark-application.ts';
import { foldSparkEvent } from '../../engine/run/spark-events.ts';
import { newSparkApplication, type SparkApplication } from '../../engine/run/spark-application.ts';

/** Returns the id of the newest application that wrote to a directory; undefined when there is none. */
export async function applicationIdIn(directory: string): Promise<string | undefined> {
  return newestApplicationId((await readdir(directory).catch(undefinedIfMissing)) ?? []);
}

/** An application, and how far its log was read. */
interface ReadLog {
  readonly application: SparkApplication;
  offset: number;
  /** Beginning of a line whose end is not written yet. */
  rest: Buffer;
  /** Set while a line is skipped that is too long to be of interest. */
  skipping: boolean;
}

const chunkBytes = 2 ** 20;
const lineBytesMax = 8 * 2 ** 20;
const logsMax = 100;

/** Reads event logs. Each call reads what was written since the one before. */
export interface EventLogReader {
  /** Returns the newest application of a directory; undefined when none has written there. */
  read(directory: string): Promise<SparkApplication | undefined>;
}

export function createEventLogReader(): EventLogReader {
  // The least recently read log comes first.
  const logs = new Map<string, ReadLog>();
  const reading = new Map<string, Promise<SparkApplication | undefined>>();
  const readOnce = async (directory: string): Promise<SparkApplication | undefined> => {
    const id = await applicationIdIn(directory);
    if (id === undefined) return undefined;
    const key = join(directory, id);
    const log = logs.get(key) ?? {
      application: newSparkApplication(),
      offset: 0,
      rest: Buffer.alloc(0),
      skipping: false,
    };
    logs.delete(key);
    logs.set(key, log);
    for (const oldest of logs.keys()) if (logs.size > logsMax) logs.delete(oldest);
    // The file loses its suffix when the application ends.
    if (!(await readNewLines(`${key}.inprogress`, log))) await readNewLines(key, log);
    log.application.applicationId = id;
    return log.application;
  };
  return {
    read(directory) {
      const current = reading.get(directory) ?? readOnce(directory).finally(() => reading.delete(directory));
      reading.set(directory, current);
      return current;
    },
  };
}

/** Adds the new lines of a log; false when there is no such file. */
async function readNewLines(path: string, log: ReadLog): Promise<boolean> {
  const file = await openRegularFile(path);
  if (file === undefined) return false;
  try {
    for (;;) {
      const chunk = await readRange(file, log.offset, chunkBytes);
      if (chunk.length === 0) return true;
      log.offset += chunk.length;
      addChunk(log, chunk);
    }
  } finally {
    await file.close();
  }
}

function addChunk(log: ReadLog, chunk: Buffer): void {
  let from = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
    const line = Buffer.concat([log.rest, chunk.subarray(from, end)]);
    if (!log.skipping) foldSparkEvent(log.application, line.toString('utf8'));
    log.rest = Buffer.alloc(0);
    log.skipping = false;
    from = end + 1;
  }
  log.rest = Buffer.concat([log.rest, chunk.subarray(from)]);
  if (log.rest.length <= lineBytesMax) return;
  log.rest = Buffer.alloc(0);
  log.skipping = true;
}
