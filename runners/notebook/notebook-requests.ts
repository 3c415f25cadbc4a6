/** Serves requests of a notebook, which come as files so that they survive a restart of the engine. */
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
import { fixedLimits } from '../../engine/limits.ts';

/** Request of `dbutils.notebook.run`, in `<key>.json`. The answer is in `<key>.answer`. */
const NotebookRequest = Type.Object({
  kind: Type.Literal('notebook'),
  path: Type.String(),
  timeoutSeconds: Type.Integer({ minimum: 0, maximum: 2 ** 31 }),
  arguments: Type.Record(Type.String(), Type.String()),
});

/** Poll interval where the file system reports no changes. */
const pollIntervalMs = 5_000;
/** Delay before the write of an answer is retried. */
const responseRetryMs = 1_000;

/**
 * Serves requests until the process of the notebook ends. Runs that are then still active are cancelled, and
 * their end is awaited.
 * @param start starts the process or attaches to it; called when requests can be served
 * @returns the exit of the process
 */
export async function serveNotebookRequests(
  context: RunnerContext,
  directory: string,
  start: () => Promise<Exit>,
): Promise<Exit> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const wakeSignal = createWakeSignal();
  const over = new AbortController();
  const accepted = new Map<string, Promise<void>>();
  let open = 0;
  const accept = (key: string): void => {
    open += 1;
    accepted.set(
      key,
      handleRequest(context, directory, key, over.signal).finally(() => {
        open -= 1;
        wakeSignal.wake();
      }),
    );
  };
  const watcher = watchDirectory(directory, wakeSignal.wake);
  let isOver = false;
  const ended = start().finally(() => {
    isOver = true;
    wakeSignal.wake();
  });
  // Handled below; this prevents an unhandled rejection until then.
  ended.catch(() => undefined);
  try {
    for (;;) {
      const last = isOver;
      // The notebook no longer waits: remaining requests are only cancelled.
      if (last) over.abort();
      for (const key of await listPendingRequests(directory))
        if (!accepted.has(key) && (last || open < fixedLimits.notebookRequests)) accept(key);
      if (last) break;
      // Rejects when the process cannot be started or awaited, which is an error of the runner.
      await Promise.race([wakeSignal.wait(pollIntervalMs), ended]);
    }
    return await ended;
  } finally {
    watcher?.close();
    over.abort();
    await Promise.all(accepted.values());
  }
}

/** Returns the keys of requests without an answer. */
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

/** @param over aborted when the notebook no longer waits for the answer */
async function handleRequest(
  context: RunnerContext,
  directory: string,
  key: string,
  over: AbortSignal,
): Promise<void> {
  const end = await launchRequestedRun(context, join(directory, `${key}.json`), key, over);
  for (;;) {
    try {
      // Readable for the user of the notebook; other users cannot enter the directory.
      await writeFileAtomically(join(directory, `${key}.answer`), JSON.stringify(end), 0o644);
      return;
    } catch (error) {
      // The task removed the directory, or has ended.
      if (isMissing(error) || over.aborted) return;
      context.log(`Writing the answer to a notebook request failed; retrying in 1 s: ${messageOf(error)}`);
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
  const { text, truncated } = await readHead(file, fixedLimits.notebookRequestBytes);
  const request = truncated ? undefined : tryParseJson(text);
  if (!Check(NotebookRequest, request)) {
    return { result: 'FAILED', message: 'The request of the notebook is invalid or larger than 1 MB.' };
  }
  const { kind, path, timeoutSeconds, arguments: given } = request;
  return context.launchJob({ kind, path, timeoutSeconds, arguments: given }, { key, signal: over });
}

function watchDirectory(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
