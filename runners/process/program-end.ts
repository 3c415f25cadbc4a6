/** Facts about the end of a program: its last lines, and what the kernel ended meanwhile. */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readLogTail } from '../../engine/log-file.ts';

const tailBytes = 16 * 2 ** 10;
const linesMax = 3;
const lineCharactersMax = 300;

/** Line of the built-in launcher of submit tasks. */
const ownLine = /^Runyard: this is not Spark/;

/** Returns the last lines that a program wrote, to the stream that it wrote to last. */
export async function readLastLines(directory: string): Promise<string[]> {
  const streams = await Promise.all(
    ['stdout', 'stderr'].map(async (name) => {
      const file = join(directory, name);
      const text = await readLogTail(file, tailBytes);
      const lines = text.split('\n').filter((line) => line.trim() !== '' && !ownLine.test(line));
      return { lines, time: await modifiedTime(file) };
    }),
  );
  const written = streams.filter(({ lines }) => lines.length > 0);
  const [first] = written.toSorted((one, other) => other.time - one.time);
  return (first?.lines ?? [])
    .slice(-linesMax)
    .map((line) => line.trim().slice(0, lineCharactersMax).toWellFormed());
}

async function modifiedTime(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** Returns the number of processes that the kernel has ended for lack of memory; undefined where unknown. */
export function countKernelKills(): number | undefined {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

/** Returns the kills since an earlier count; undefined where unknown. */
export function kernelKillsSince(before: number | undefined): number | undefined {
  const now = countKernelKills();
  return before === undefined || now === undefined ? undefined : now - before;
}
