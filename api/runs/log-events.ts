/** The log of a task run as server-sent events: what is there, then what comes, then the end. */
import type { LogRef, LogReader } from '../../engine/ports/attempt-logs.ts';
import type { Mask } from '../../engine/run/masking.ts';

/** Where the attempt stands. */
export interface AttemptState {
  readonly over: boolean;
  /** What the last event says of it. */
  readonly state: object;
}

export interface LogStreamOptions {
  readonly logs: LogReader;
  readonly log: LogRef;
  readonly offset: number;
  readonly mask: Mask;
  readonly readState: () => Promise<AttemptState>;
  /** Nothing is waited for: it ends behind what is there. */
  readonly once?: boolean;
  /** Ends it before the log does: the receiver went, the service stops, or the time is over. */
  readonly signal: AbortSignal;
}

/** Bytes of one event: a longer line comes in pieces. */
const maximumEventBytes = 16 * 1_024;
/** What is written within this time goes together, ms. */
const batchWindowMs = 200;
/** How often is looked when nothing tells of changes, ms: soon after the last one, then ever more seldom. */
const [soonMs, seldomMs] = [100, 5_000];
/** A sign of life at least this often, ms: what stands between would give up a silent connection. */
const heartbeatMs = 15_000;

/**
 * The events, made as they are taken: who reads slowly is waited for. Ends with `end` when the attempt is
 * over and all is sent.
 */
export async function* streamLogEvents({
  logs,
  log,
  offset: first,
  mask,
  readState,
  once = false,
  signal,
}: LogStreamOptions): AsyncGenerator<string> {
  let offset = first;
  let patience = soonMs;
  let silent = 0;
  // Tells the receiver how soon to come back when the connection breaks.
  yield 'retry: 1000\n\n';
  for (;;) {
    const { over, state } = await readState();
    for (;;) {
      const page = await logs.readPage(log, offset, maximumEventBytes, { mask, isComplete: over });
      // The task has cut its log: what is there is new.
      const from = page.offset < offset ? 0 : page.offset;
      const { nextOffset, text } =
        from === page.offset
          ? page
          : await logs.readPage(log, 0, maximumEventBytes, { mask, isComplete: over });
      if (nextOffset === from) break;
      yield formatEvent('log', nextOffset, { offset: from, content: text });
      [offset, patience, silent] = [nextOffset, soonMs, 0];
      if (signal.aborted) return;
    }
    if (over) {
      yield formatEvent('end', offset, { offset, ...state });
      return;
    }
    if (once) return;
    const pause = await waitForChange(logs, log, offset, patience, signal);
    if (signal.aborted) return;
    patience = pause.changed ? soonMs : Math.min(seldomMs, patience * 2);
    silent += pause.waited;
    if (silent >= heartbeatMs) {
      yield ': nothing new\n\n';
      silent = 0;
    }
  }
}

function formatEvent(name: string, id: number, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Waits until the log may have grown. */
async function waitForChange(
  logs: LogReader,
  log: LogRef,
  offset: number,
  patience: number,
  until: AbortSignal,
): Promise<{ readonly changed: boolean; readonly waited: number }> {
  await waitUnlessAborted(batchWindowMs, until, () => undefined);
  let changed = false;
  const waited = await waitUnlessAborted(patience, until, (wake) => {
    const ring = (): void => {
      changed = true;
      wake();
    };
    const stop = logs.watch(log.runId, ring);
    // What came before it was watched would be told by nobody.
    void logs
      .getSize(log)
      .catch(() => undefined)
      .then((size = 0) => (size === offset ? undefined : ring()));
    return stop;
  });
  return { changed, waited: batchWindowMs + waited };
}

/** Waits for a time, an abort, or what `begin` arranges; answers with the time if all of it was waited. */
async function waitUnlessAborted(
  milliseconds: number,
  until: AbortSignal,
  begin: (wake: () => void) => (() => void) | undefined,
): Promise<number> {
  if (until.aborted) return 0;
  const { promise, resolve } = Promise.withResolvers<number>();
  const wake = (): void => resolve(0);
  const timer = setTimeout(() => resolve(milliseconds), milliseconds);
  until.addEventListener('abort', wake);
  const stop = begin(wake);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    until.removeEventListener('abort', wake);
    stop?.();
  }
}
