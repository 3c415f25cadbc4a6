/**
 * Answers what a notebook asks of the engine through files: it outlives the engine, and an asked question
 * stays asked.
 */
import { watch, type FSWatcher } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { messageOf } from '../../engine/errors.ts';
import { isMissing, tryParseJson, readHead } from '../../engine/read-file.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { ChildRunResult, Exit, RunnerContext } from '../contract.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';

/** `dbutils.notebook.run`: `<key>.json`. The answer is a ChildEnd: `<key>.answer`. */
const NotebookRequest = Type.Object({
  kind: Type.Literal('notebook'),
  path: Type.String(),
  timeoutSeconds: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
  arguments: Type.Record(Type.String(), Type.String()),
});

const requestBytesMax = 2 ** 20;
/** Questions of one notebook that are answered at a time; the others wait. */
const openRequestsMax = 100;
/** How often the directory is looked at where changes are not told. */
const pollIntervalMs = 5_000;
/** After an answer could not be written. */
const responseRetryMs = 1_000;

/**
 * Answers questions until the notebook's process is over. What it has asked for is cancelled then, if it is
 * not over, and its end is waited for.
 * @param start begins the process, or attaches to it; called when questions can be asked
 * @returns how the process ended
 */
export async function serveNotebookRequests(
  context: RunnerContext,
  directory: string,
  start: () => Promise<Exit>,
): Promise<Exit> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const bell = createWakeSignal();
  const over = new AbortController();
  const taken = new Map<string, Promise<void>>();
  let open = 0;
  const take = (key: string): void => {
    open += 1;
    taken.set(
      key,
      handleRequest(context, directory, key, over.signal).finally(() => {
        open -= 1;
        bell.wake();
      }),
    );
  };
  const watcher = watchDirectory(directory, bell.wake);
  let isOver = false;
  const ended = start().finally(() => {
    isOver = true;
    bell.wake();
  });
  // Heard of where it is waited for.
  ended.catch(() => undefined);
  try {
    for (;;) {
      const last = isOver;
      // Nobody waits any more: what was asked for is only cancelled.
      if (last) over.abort();
      for (const key of await listPendingRequests(directory))
        if (!taken.has(key) && (last || open < openRequestsMax)) take(key);
      if (last) break;
      // A process that could not be waited for is an error of the runner.
      await Promise.race([bell.wait(pollIntervalMs), ended]);
    }
    return await ended;
  } finally {
    watcher?.close();
    over.abort();
    await Promise.all(taken.values());
  }
}

/** Keys of the questions without an answer. */
async function listPendingRequests(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const answered = new Set(names);
  return names
    .flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? [])
    .filter((key) => !answered.has(`${key}.answer`));
}

/** @param over aborted when nobody waits for the answer any more */
async function handleRequest(
  context: RunnerContext,
  directory: string,
  key: string,
  over: AbortSignal,
): Promise<void> {
  const end = await launchRequestedRun(context, join(directory, `${key}.json`), key, over);
  for (;;) {
    try {
      // The notebook may be another user than the engine; nobody else can enter the directory.
      await writeFileAtomically(join(directory, `${key}.answer`), JSON.stringify(end), 0o644);
      return;
    } catch (error) {
      // The task removed the directory, or is over.
      if (isMissing(error) || over.aborted) return;
      context.log(
        `The answer to the notebook's question could not be written, it is tried again: ${messageOf(error)}`,
      );
      await new Promise((resolve) => {
        setTimeout(resolve, responseRetryMs);
      });
    }
  }
}

async function launchRequestedRun(
  context: RunnerContext,
  file: string,
  key: string,
  over: AbortSignal,
): Promise<ChildRunResult> {
  const { text, truncated } = await readHead(file, requestBytesMax);
  const question = truncated ? undefined : tryParseJson(text);
  if (!Check(NotebookRequest, question)) {
    return {
      result: 'FAILED',
      message: `What the notebook asked for is no question that Runyard knows, or has more than ${requestBytesMax} bytes.`,
    };
  }
  const { kind, path, timeoutSeconds, arguments: given } = question;
  return context.launchJob({ kind, path, timeoutSeconds, arguments: given }, { key, signal: over });
}

function watchDirectory(directory: string, ring: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, ring);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
