/**
 * Appends the new parts of logs to delivered files. The progress is stored after the bytes: an interrupted
 * append is rolled back to its start, so that no line is delivered twice.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { openLog } from '../../engine/log-file.ts';
import type { LogReadOptions } from '../../engine/ports/attempt-logs.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { renderPage } from './log-files.ts';

/** Log with the mask under which it is delivered. */
export interface LogSource extends LogReadOptions {
  readonly path: string;
}

/** Delivered file and the logs that it consists of. */
export interface DeliveredLog {
  /** Path of the file below the delivery directory. */
  readonly target: string;
  readonly sources: readonly LogSource[];
}

const counters = Type.Record(Type.String(), Type.Integer({ minimum: 0 }));
const LogDeliveryStateSchema = Type.Object({ targets: counters, sources: counters });

/**
 * Progress of a delivery. Source and target sizes differ: masked secrets and truncation notes have another
 * length than the original bytes.
 */
export interface LogDeliveryState {
  /** Sizes of the delivered files in bytes. */
  readonly targets: Record<string, number>;
  /** Offset up to which each log was read. */
  readonly sources: Record<string, number>;
}

const chunkBytes = 2 ** 20;
const stateBytesMax = 16 * 2 ** 20;

/** Reads the delivery progress stored in a directory. */
export async function readLogDeliveryState(directory: string): Promise<LogDeliveryState> {
  const { text } = await readHead(join(directory, 'delivery.json'), stateBytesMax);
  const state = tryParseJson(text);
  return Check(LogDeliveryStateSchema, state) ? state : { targets: {}, sources: {} };
}

export async function writeLogDeliveryState(directory: string, state: LogDeliveryState): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = join(directory, `delivery.json.${randomUUID()}.part`);
  await writeFile(draft, JSON.stringify(state), { flag: 'wx' });
  await rename(draft, join(directory, 'delivery.json'));
}

/** Appends the new parts of the sources to a delivered file, and updates `state`. */
export async function appendLogs(
  path: string,
  { target, sources }: DeliveredLog,
  state: LogDeliveryState,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    const { size } = await file.stat();
    // A delivered file that was truncated or removed by a user is not delivered again.
    let end = Math.min(size, state.targets[target] ?? 0);
    if (size > end) await file.truncate(end);
    for (const source of sources) {
      const { added, next } = await appendNewBytes(source, state.sources[source.path] ?? 0, file, end);
      end += added;
      state.sources[source.path] = next;
    }
    state.targets[target] = end;
  } finally {
    await file.close();
  }
}

/**
 * Copies a log from an offset to a position of a file. Returns the number of bytes written and the next
 * offset of the log.
 */
async function appendNewBytes(
  source: LogSource,
  from: number,
  file: FileHandle,
  at: number,
): Promise<{ readonly added: number; readonly next: number }> {
  const log = await openLog(source.path);
  if (log === undefined) return { added: 0, next: from };
  try {
    // Output written during the copy is left to the next delivery, so that a task that writes continuously
    // blocks no other log.
    const end = await log.size();
    // A task that truncated its own log continues at the new end.
    let [added, next] = [0, Math.min(from, end)];
    while (next < end) {
      const page = await renderPage(log, next, chunkBytes, source);
      await file.write(page.shown, 0, page.shown.length, at + added);
      added += page.shown.length;
      const before = next;
      next = page.nextOffset;
      if (next <= before) break;
    }
    return { added, next };
  } finally {
    await log.close();
  }
}
