/** The last lines of a program that has ended. */
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
