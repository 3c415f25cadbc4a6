/** Directories of attempts and clusters, and what an attempt leaves in its own: logs and output. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { invalid } from '../../engine/errors.ts';
import { stringMap } from '../../engine/validation/scalars.ts';
import { quote } from '../../engine/validation/messages.ts';
import type { LogRef, LogReader, LogReadOptions } from '../../engine/ports/attempt-logs.ts';
import type { RunDirectories } from '../../engine/ports/attempts.ts';
import type { TaskValues } from '../../engine/run/dynamic-values.ts';
import { truncateUtf8, type TaskOutput } from '../../engine/run/task-output.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { createLogFiles } from './log-files.ts';
import { resolveInside, resolveEntryInside, type Roots } from './roots.ts';

export interface AttemptFiles extends RunDirectories {
  /**
   * The first `bytes` bytes of stdout followed by stderr. Bytes that are no UTF-8 are replaced, a character
   * is never cut.
   * `truncated`: there was more.
   */
  logs(
    runId: number,
    bytes: number,
    view: LogReadOptions,
  ): Promise<{ readonly text: string; readonly truncated: boolean }>;
  /** Removes the directory of an attempt that is over, with all it holds. */
  removeAttempt(runId: number): Promise<void>;
  /** Removes the directory of a cluster that was made for a run which is over. */
  removeCluster(clusterId: string): Promise<void>;
}

/**
 * The task writes below the same directory: what is read back from it is checked, and never longer than this.
 */
const outputBytesMax = 16 * 2 ** 20;

const Output = Type.Object({
  result: Type.Optional(Type.String()),
  truncated: Type.Optional(Type.Boolean()),
  error: Type.Optional(Type.String()),
  errorTrace: Type.Optional(Type.String()),
});

export function createAttemptFiles(roots: Pick<Roots, 'runs' | 'clusters'>): AttemptFiles {
  const logFiles = createLogFiles(roots);
  const directoryOf = (runId: number): string => join(roots.runs.directory, String(runId));
  return {
    ensureAttemptDirectory: (runId) => makePrivateDirectory(directoryOf(runId)),
    ensureClusterDirectory: async (clusterId) =>
      makePrivateDirectory(await resolveInside(roots.clusters, clusterPath(clusterId))),
    readTaskValues: (runId) => readTaskValues(join(directoryOf(runId), 'values.json')),
    readOutput: (runId) => readOutput(join(directoryOf(runId), 'output.json')),
    async logs(runId, bytes, view) {
      const stdout = await readBeginning(logFiles, { runId, stream: 'stdout' }, bytes, view);
      const stderr = await readBeginning(logFiles, { runId, stream: 'stderr' }, bytes - stdout.bytes, view);
      // Bytes that were replaced have become longer.
      const { text, cut } = truncateUtf8(stdout.text + stderr.text, bytes);
      return { text, truncated: cut || stdout.more || stderr.more };
    },
    removeAttempt: (runId) => rm(directoryOf(runId), { recursive: true, force: true }),
    // Of a link the link alone is removed: what it leads to may be the directory of a cluster that is in use.
    removeCluster: async (clusterId) =>
      rm(await resolveEntryInside(roots.clusters, clusterPath(clusterId)), { recursive: true, force: true }),
  };
}

/** The beginning of a log, with the line that stands for what was left out of it. */
async function readBeginning(
  files: LogReader,
  log: LogRef,
  most: number,
  view: LogReadOptions,
): Promise<{ readonly text: string; readonly bytes: number; readonly more: boolean }> {
  const texts = [];
  let bytes = 0;
  let offset = 0;
  for (;;) {
    const page = await files.readPage(log, offset, Math.max(0, most - bytes), view);
    if (bytes >= most || page.nextOffset === page.offset)
      return { text: texts.join(''), bytes, more: page.size > offset && bytes >= most };
    texts.push(page.text);
    bytes += Math.min(page.nextOffset - page.offset, Buffer.byteLength(page.text));
    offset = page.nextOffset;
  }
}

/** The id of an existing cluster is whatever a job names. */
function clusterPath(clusterId: string): string {
  if (/^\.{0,2}$|\//.test(clusterId))
    throw invalid(`existing_cluster_id is ${quote(clusterId)}; it must be a name without slashes.`);
  return `/${clusterId}`;
}

async function makePrivateDirectory(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

const Values = stringMap('Values that a task set: name -> JSON text.');

/** A file that was changed by something else than the task's utilities counts as none. */
async function readTaskValues(path: string): Promise<TaskValues> {
  const { text, bytes, truncated } = await readHead(path, outputBytesMax);
  const values = bytes === 0 || truncated ? undefined : tryParseJson(text);
  return Check(Values, values) ? values : {};
}

async function readOutput(path: string): Promise<TaskOutput | undefined> {
  const { text, bytes, truncated } = await readHead(path, outputBytesMax);
  if (bytes === 0 && !truncated) return undefined;
  const output = truncated ? undefined : tryParseJson(text);
  return Check(Output, output)
    ? output
    : {
        error:
          'The output of this attempt cannot be read: its file was changed by something other than its runner.',
      };
}
