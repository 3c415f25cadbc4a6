/** The end of what an attempt wrote. */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { readEnd } from '../engine/read-file.ts';
import type { AttemptFiles } from './attempt-files.ts';
import type { Roots } from './roots.ts';

/** Bytes that are looked at of each stream, and lines that are given of both together. */
const [bytesMost, linesMost] = [4_096, 20];

/** The last lines of stdout followed by those of stderr, which says more of a failure; a notebook's error stands in its output instead. */
export async function logTail({ runs }: Pick<Roots, 'runs'>, files: Pick<AttemptFiles, 'read'>, runId: number): Promise<string> {
  const [stdout = '', stderr = ''] = await Promise.all(['stdout', 'stderr'].map((name) => readEnd(join(runs.directory, String(runId), name), bytesMost)));
  const { error = '', errorTrace = error } = (stderr.trim() === '' ? await files.read(runId) : undefined) ?? {};
  const lines = [...linesOf(stdout), ...linesOf(stderr), ...linesOf(errorTrace)].slice(-linesMost);
  // A line without an end would be the whole mail.
  return lines.map((line) => line.slice(0, 500)).join('\n').replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Without what is only for terminals, and without empty lines. A first line that the cut has begun is left out. */
function linesOf(text: string): string[] {
  const lines = stripVTControlCharacters(text).split('\n').filter((line) => line.trim() !== '');
  return Buffer.byteLength(text) >= bytesMost && lines.length > 1 ? lines.slice(1) : lines;
}
