/** The end of what an attempt wrote. */
import { stripVTControlCharacters } from 'node:util';
import { logStreams } from '../../engine/log-file.ts';
import type { LogReader } from '../../engine/ports/attempt-logs.ts';
import { maskTexts, type Mask } from '../../engine/run/masking.ts';
import type { AttemptFiles } from './attempt-files.ts';

/** Bytes that are looked at of each stream, and lines that are given of both together. */
const [bytesMax, linesMax] = [4_096, 20];

/**
 * The last lines of stdout followed by those of stderr, which says more of a failure; a notebook's error
 * stands in its output instead.
 */
export async function readLogTail(
  logs: Pick<LogReader, 'readTail'>,
  files: Pick<AttemptFiles, 'readOutput'>,
  runId: number,
  mask: Mask,
): Promise<string> {
  const [stdout = '', stderr = ''] = await Promise.all(
    logStreams.map(
      async (stream) =>
        (await logs.readTail({ runId, stream }, linesMax, bytesMax, { mask, isComplete: true })).text,
    ),
  );
  const { error = '', errorTrace = error } = maskTexts(
    mask,
    (stderr.trim() === '' ? await files.readOutput(runId) : undefined) ?? {},
  );
  const lines = [...linesOf(stdout), ...linesOf(stderr), ...linesOf(errorTrace)].slice(-linesMax);
  // A line without an end would be the whole mail.
  return lines
    .map((line) => line.slice(0, 500))
    .join('\n')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed();
}

/**
 * Without what is only for terminals, and without empty lines. A first line that the cut has begun is left
 * out.
 */
function linesOf(text: string): string[] {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return Buffer.byteLength(text) > bytesMax - 4 && lines.length > 1 ? lines.slice(1) : lines;
}
