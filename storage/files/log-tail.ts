/** Last lines of the output of an attempt. */
import { stripVTControlCharacters } from 'node:util';
import { logStreams } from '../../engine/log-file.ts';
import type { LogReader } from '../../engine/ports/attempt-logs.ts';
import { maskTexts, type Mask } from '../../engine/run/masking.ts';
import type { AttemptFiles } from './attempt-files.ts';

/** Bytes read of each stream, and maximum lines returned of both together. */
const [bytesMax, linesMax] = [4_096, 20];

/**
 * Returns the last lines of stdout followed by those of stderr, which explain a failure better; the error of
 * a notebook is in its output instead.
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
  // A line without a line break must not fill the whole e-mail.
  return lines
    .map((line) => line.slice(0, 500))
    .join('\n')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed();
}

/** Removes terminal control sequences, empty lines, and a first line that is incomplete. */
function linesOf(text: string): string[] {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return Buffer.byteLength(text) > bytesMax - 4 && lines.length > 1 ? lines.slice(1) : lines;
}
