/** Log of a task run as server-sent events: existing text, new text, then the end. */
import type { LogRef, LogReader } from '../../engine/ports/attempt-logs.ts';
import type { Mask } from '../../engine/run/masking.ts';

/** State of an attempt. */
export interface AttemptState {
  readonly isTerminal: boolean;
  /** State document of the end event. */
  readonly state: object;
}

export interface LogStreamOptions {
  readonly logs: LogReader;
  readonly log: LogRef;
  readonly offset: number;
  readonly mask: Mask;
  readonly readState: () => Promise<AttemptState>;
  /** True: sends the existing text and ends without waiting. */
  readonly once?: boolean;
  /** Ends the stream early: client disconnect, shutdown, or timeout. */
  readonly signal: AbortSignal;
}

/** Maximum bytes of one event; longer text is split. */
const maximumEventBytes = 16 * 1_024;
/** Debounce interval: text written within it is sent in one event, ms. */
const batchWindowMs = 200;
/** Poll delay when no file notification arrives, ms: short after a change, then exponential backoff. */
const [minimumPollMs, maximumPollMs] = [100, 5_000];
/** Interval of heartbeat comments, ms: proxies close silent connections. */
const heartbeatMs = 15_000;

/**
 * Yields the events of a log with backpressure: the next part is read when the client consumed the previous
 * one. The last event is `end`, sent after the complete log of a terminal attempt.
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
  let pollMs = minimumPollMs;
  let silentMs = 0;
  // Reconnect delay of the client after a disconnect.
  yield 'retry: 1000\n\n';
  for (;;) {
    const { isTerminal, state } = await readState();
    for (;;) {
      const page = await logs.readPage(log, offset, maximumEventBytes, { mask, isComplete: isTerminal });
      // The task truncated its log; the remaining text is new.
      const from = page.offset < offset ? 0 : page.offset;
      const { nextOffset, text } =
        from === page.offset
          ? page
          : await logs.readPage(log, 0, maximumEventBytes, { mask, isComplete: isTerminal });
      if (nextOffset === from) break;
      yield formatEvent('log', nextOffset, { offset: from, content: text });
      [offset, pollMs, silentMs] = [nextOffset, minimumPollMs, 0];
      if (signal.aborted) return;
    }
    if (isTerminal) {
      yield formatEvent('end', offset, { offset, ...state });
      return;
    }
    if (once) return;
    const pause = await waitForChange(logs, log, offset, pollMs, signal);
    if (signal.aborted) return;
    pollMs = pause.changed ? minimumPollMs : Math.min(maximumPollMs, pollMs * 2);
    silentMs += pause.waited;
    if (silentMs >= heartbeatMs) {
      yield ': nothing new\n\n';
      silentMs = 0;
    }
  }
}

function formatEvent(name: string, id: number, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Waits until the log may have grown, at most for the poll delay. */
async function waitForChange(
  logs: LogReader,
  log: LogRef,
  offset: number,
  pollMs: number,
  signal: AbortSignal,
): Promise<{ readonly changed: boolean; readonly waited: number }> {
  await waitUnlessAborted(batchWindowMs, signal, () => undefined);
  let changed = false;
  const waited = await waitUnlessAborted(pollMs, signal, (wake) => {
    const onChange = (): void => {
      changed = true;
      wake();
    };
    const stop = logs.watch(log.runId, onChange);
    // Text written before the watch started causes no notification.
    void logs
      .getSize(log)
      .catch(() => undefined)
      .then((size = 0) => (size === offset ? undefined : onChange()));
    return stop;
  });
  return { changed, waited: batchWindowMs + waited };
}

/**
 * Waits for a delay, an abort, or a wake-up by `begin`; returns the delay if it elapsed completely, else 0.
 */
async function waitUnlessAborted(
  milliseconds: number,
  signal: AbortSignal,
  begin: (wake: () => void) => (() => void) | undefined,
): Promise<number> {
  if (signal.aborted) return 0;
  const { promise, resolve } = Promise.withResolvers<number>();
  const wake = (): void => resolve(0);
  const timer = setTimeout(() => resolve(milliseconds), milliseconds);
  signal.addEventListener('abort', wake);
  const stop = begin(wake);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    stop?.();
  }
}
