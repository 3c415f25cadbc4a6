/** Directories of attempts and clusters, and the logs and output in the directory of an attempt. */
import { mkdir, readdir, rm } from 'node:fs/promises';
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
import { tryParseJson, readHead, undefinedIfMissing } from '../../engine/read-file.ts';
import { eventLogDirectory, newestApplicationId } from '../../engine/run/spark-application.ts';
import { createLogFiles } from './log-files.ts';
import { resolveInside, resolveEntryInside, type Roots } from './roots.ts';

export interface AttemptFiles extends RunDirectories {
  /**
   * Returns the first `bytes` bytes of stdout followed by stderr. Bytes that are not UTF-8 are replaced, and
   * no character is split. `truncated` is true when there is more.
   */
  logs(
    runId: number,
    bytes: number,
    view: LogReadOptions,
  ): Promise<{ readonly text: string; readonly truncated: boolean }>;
  /** Removes the directory of an ended attempt with its content. */
  removeAttempt(runId: number): Promise<void>;
  /** Removes the directory of a job cluster whose run has ended. */
  removeCluster(clusterId: string): Promise<void>;
}

/**
 * Maximum size of a file that is read back; the task can write to the same directory, so its content is
 * validated.
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
    findSparkApplication: async (runId) =>
      newestApplicationId(
        (await readdir(join(directoryOf(runId), eventLogDirectory)).catch(undefinedIfMissing)) ?? [],
      ),
    async logs(runId, bytes, view) {
      const stdout = await readBeginning(logFiles, { runId, stream: 'stdout' }, bytes, view);
      const stderr = await readBeginning(logFiles, { runId, stream: 'stderr' }, bytes - stdout.bytes, view);
      // Replacement characters are longer than the bytes that they replace.
      const { text, cut } = truncateUtf8(stdout.text + stderr.text, bytes);
      return { text, truncated: cut || stdout.more || stderr.more };
    },
    removeAttempt: (runId) => rm(directoryOf(runId), { recursive: true, force: true }),
    // Only the link itself is removed: its target may be the directory of a cluster in use.
    removeCluster: async (clusterId) =>
      rm(await resolveEntryInside(roots.clusters, clusterPath(clusterId)), { recursive: true, force: true }),
  };
}

/** Returns the beginning of a log, with a line in place of a truncated part. */
async function readBeginning(
  files: LogReader,
  log: LogRef,
  maximum: number,
  view: LogReadOptions,
): Promise<{ readonly text: string; readonly bytes: number; readonly more: boolean }> {
  const texts = [];
  let bytes = 0;
  let offset = 0;
  for (;;) {
    const page = await files.readPage(log, offset, Math.max(0, maximum - bytes), view);
    if (bytes >= maximum || page.nextOffset === page.offset)
      return { text: texts.join(''), bytes, more: page.size > offset && bytes >= maximum };
    texts.push(page.text);
    bytes += Math.min(page.nextOffset - page.offset, Buffer.byteLength(page.text));
    offset = page.nextOffset;
  }
}

/** Validates a cluster id before its use in a path: existing_cluster_id is free text of a job. */
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

/** Ignores a file that the task's utilities did not write. */
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
