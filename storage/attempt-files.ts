/** Directories of attempts and clusters, and what an attempt leaves in its own: logs and output. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { invalid } from '../engine/errors.ts';
import { quote } from '../engine/job/wording.ts';
import type { Workplace } from '../engine/ports.ts';
import { firstBytes, type TaskOutput } from '../engine/run/output.ts';
import { openRegular, readFrom } from './open-file.ts';
import { prove, type Roots } from './roots.ts';

export interface AttemptFiles extends Workplace {
  /** The output that the attempt's runner kept; undefined when it kept none. */
  read(runId: number): Promise<TaskOutput | undefined>;
  /**
   * The first `bytes` bytes of stdout followed by stderr. Bytes that are no UTF-8 are replaced, a character is never cut.
   * `truncated`: there was more.
   */
  logs(runId: number, bytes: number): Promise<{ readonly text: string; readonly truncated: boolean }>;
  /** Removes the directory of an attempt that is over, with all it holds. */
  removeAttempt(runId: number): Promise<void>;
}

/** The task writes below the same directory: what is read back from it is checked, and never longer than this. */
const outputBytesMax = 16 * 2 ** 20;

const Output = Type.Object({
  result: Type.Optional(Type.String()),
  truncated: Type.Optional(Type.Boolean()),
  error: Type.Optional(Type.String()),
  errorTrace: Type.Optional(Type.String()),
});

export function createAttemptFiles(roots: Pick<Roots, 'runs' | 'clusters'>): AttemptFiles {
  const directoryOf = (runId: number): string => join(roots.runs.directory, String(runId));
  return {
    attemptDirectory: (runId) => makeOwn(directoryOf(runId)),
    async clusterDirectory(clusterId) {
      // The id of an existing cluster is whatever a job names.
      if (/^\.{0,2}$|\//.test(clusterId)) throw invalid(`existing_cluster_id is ${quote(clusterId)}; it must be a name without slashes.`);
      return makeOwn(await prove(roots.clusters, `/${clusterId}`));
    },
    read: (runId) => readOutput(join(directoryOf(runId), 'output.json')),
    async logs(runId, bytes) {
      const stdout = await readText(join(directoryOf(runId), 'stdout'), bytes);
      const stderr = await readText(join(directoryOf(runId), 'stderr'), bytes - stdout.bytes);
      // Bytes that were replaced have become longer.
      const { text, cut } = firstBytes(stdout.text + stderr.text, bytes);
      return { text, truncated: cut || stdout.more || stderr.more };
    },
    removeAttempt: (runId) => rm(directoryOf(runId), { recursive: true, force: true }),
  };
}

async function makeOwn(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

async function readOutput(path: string): Promise<TaskOutput | undefined> {
  const { text, bytes, more } = await readText(path, outputBytesMax);
  if (bytes === 0 && !more) return undefined;
  const output = more ? undefined : parse(text);
  return Check(Output, output) ? output : { error: 'The output of this attempt cannot be read: its file was changed by something other than its runner.' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Beginning {
  readonly text: string;
  /** Bytes that were read. */
  readonly bytes: number;
  readonly more: boolean;
}

/** The beginning of a file as text; a file that is not there is empty. */
async function readText(path: string, most: number): Promise<Beginning> {
  const file = await openRegular(path);
  if (file === undefined) return { text: '', bytes: 0, more: false };
  try {
    const { size } = await file.stat();
    const bytes = await readFrom(file, 0, most);
    const decoder = new StringDecoder('utf8');
    const whole = decoder.write(bytes);
    // A character that the limit cuts is left out; one that the file itself breaks off is replaced.
    return { text: size > most ? whole : whole + decoder.end(), bytes: bytes.length, more: size > most };
  } finally {
    await file.close();
  }
}
