/** Out-of-memory kills of programs by the kernel, from its log and its counter. */
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OomKill } from '../../engine/run/explain/failure.ts';

/** Exit code of a program that SIGKILL has ended. */
const killedCode = 137;
/** Tolerance of the clocks of the kernel, s. */
const clockToleranceSeconds = 5;
const ticksPerSecond = 100;
const recordBytesMax = 8_192;

/** Returns the number of processes that the kernel has ended for lack of memory; undefined where unknown. */
export function countKernelKills(): number | undefined {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether the kernel has ended a program for lack of memory; undefined where that is not known.
 * @param directory of the process: `program` has its pid, `pid` the start of its supervisor
 * @param killsBefore count of kills before the program
 */
export async function findOomKill(
  directory: string,
  exitCode: number,
  killsBefore: number | undefined,
): Promise<OomKill | undefined> {
  if (exitCode !== killedCode) return undefined;
  const [program, claim] = await Promise.all(
    ['program', 'pid'].map((name) => readFile(join(directory, name), 'utf8').catch(() => '')),
  );
  const pid = Number(program);
  const startSeconds = Number(claim?.split(' ')[2]) / ticksPerSecond;
  const log = pid > 0 && Number.isFinite(startSeconds) ? readKernelLog() : undefined;
  if (log !== undefined) {
    const record = log.find(
      ({ text, seconds }) => killedPid(text) === pid && seconds >= startSeconds - clockToleranceSeconds,
    );
    return record === undefined ? { kind: 'none' } : { kind: 'certain', record: record.text };
  }
  const now = countKernelKills();
  const kills = killsBefore === undefined || now === undefined ? 0 : now - killsBefore;
  return kills > 0 ? { kind: 'likely', kills } : undefined;
}

function killedPid(text: string): number | undefined {
  const pid = /\bKilled process (\d+)\b/.exec(text)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

interface KernelRecord {
  /** Since the start of the machine. */
  readonly seconds: number;
  readonly text: string;
}

/** Reads the log of the kernel; undefined where this process may not. Each read returns one record. */
function readKernelLog(): KernelRecord[] | undefined {
  let file;
  try {
    file = openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const records: KernelRecord[] = [];
  try {
    const buffer = Buffer.alloc(recordBytesMax);
    for (;;) {
      const [head = '', text = ''] = splitOnce(buffer.toString('utf8', 0, readSync(file, buffer)));
      records.push({ seconds: Number(head.split(',')[2]) / 1e6, text: text.split('\n')[0] ?? '' });
    }
  } catch {
    // EAGAIN: the end of the log.
    return records;
  } finally {
    closeSync(file);
  }
}

function splitOnce(record: string): string[] {
  const at = record.indexOf(';');
  return [record.slice(0, at), record.slice(at + 1)];
}
