/**
 * Appends what logs have grown by to files that are put together from them. How far that got is written
 * behind the bytes: what was killed in between is taken back to where it began, so that no line is there
 * twice.
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

/** A log, and how it is looked at. */
export interface LogSource extends LogReadOptions {
  readonly path: string;
}

/** A file, and the logs that it is put together from. */
export interface DeliveredLog {
  /** Its name among the delivered ones. */
  readonly target: string;
  readonly sources: readonly LogSource[];
}

const counters = Type.Record(Type.String(), Type.Integer({ minimum: 0 }));
const LogDeliveryStateSchema = Type.Object({ targets: counters, sources: counters });

/**
 * How far a delivery got. The two count differently: secrets, and what was left out of a log, have another
 * length than what stands for them.
 */
export interface LogDeliveryState {
  /** Sizes of the delivered files. */
  readonly targets: Record<string, number>;
  /** How far each log was read. */
  readonly sources: Record<string, number>;
}

const chunkBytes = 2 ** 20;
const stateBytesMax = 16 * 2 ** 20;

/** How far the deliveries got that are noted in a directory. */
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

/** Appends to a delivered file what its sources have grown by, and notes that in `state`. */
export async function appendLogs(
  path: string,
  { target, sources }: DeliveredLog,
  state: LogDeliveryState,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    const { size } = await file.stat();
    // Somebody may have cut or removed what was delivered: it is not delivered again.
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
 * Writes what a log has from an offset on to a place of a file; says how many bytes that were, and where the
 * log goes on.
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
    // What comes meanwhile is for the next delivery: a task that writes without end must hold up no other.
    const end = await log.size();
    // A task that has cut its own log goes on at the new end.
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
