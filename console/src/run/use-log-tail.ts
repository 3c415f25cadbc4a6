/** Hook that reads the end of a log and follows it. */
import { useEffect, useRef, useState } from 'react';
import type { LogPage } from '../api/documents.ts';
import { ApiError, type ApiClient } from '../api/api-client.ts';
import { readServerEvents } from '../api/server-events.ts';
import { useSession } from '../session.tsx';

export type LogStream = 'stdout' | 'stderr';

export interface LogTail {
  readonly text: string;
  /** True when earlier text is not included. */
  readonly truncated: boolean;
  /** True when no more text follows. */
  readonly complete: boolean;
  /** True after the first response. */
  readonly loaded: boolean;
}

const emptyTail: LogTail = { text: '', truncated: false, complete: false, loaded: false };
/** Lines of the first request, and maximum of characters on the page. */
const [initialLines, maximumCharacters] = [1_000, 400_000];
/** Delay before a reconnect, ms. */
const retryDelayMs = 2_000;

/** @param following waits for more text while the tab is visible */
export function useLogTail(runId: number, stream: LogStream, following: boolean): LogTail {
  const { apiClient } = useSession();
  const visible = usePageVisible();
  const [log, setLog] = useState(emptyTail);
  const next = useRef<number | undefined>(undefined);
  useEffect(() => {
    next.current = undefined;
    setLog(emptyTail);
  }, [runId, stream]);
  const active = visible && (following || !log.loaded);
  useEffect(() => {
    if (!active || log.complete) return undefined;
    const stop = new AbortController();
    void readLogTail(apiClient, { runId, stream, following, next }, setLog, stop.signal);
    return () => stop.abort();
    // New text must not restart the effect; a complete log ends it.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [apiClient, runId, stream, following, active, log.complete]);
  return log;
}

interface LogReading {
  readonly runId: number;
  readonly stream: LogStream;
  readonly following: boolean;
  readonly next: { current: number | undefined };
}

/** Reads until the log is complete or `signal` aborts; reconnects at the last offset. */
async function readLogTail(
  apiClient: ApiClient,
  { runId, stream, following, next }: LogReading,
  show: (change: (log: LogTail) => LogTail) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (next.current === undefined) {
        const page = await apiClient.get<LogPage>(
          '2.1/jobs/runs/logs',
          { run_id: runId, stream, tail: initialLines },
          signal,
        );
        next.current = page.next_offset;
        show(() => ({
          text: page.content,
          truncated: page.offset > 0,
          complete: page.complete,
          loaded: true,
        }));
        if (page.complete) return;
      }
      if (!following) return;
      const response = await apiClient.getStream(
        '2.1/jobs/runs/logs/stream',
        { run_id: runId, stream, offset: next.current },
        signal,
      );
      for await (const { id, name, data } of readServerEvents(response)) {
        next.current = id;
        if (name === 'end') {
          show((log) => ({ ...log, complete: true, loaded: true }));
          return;
        }
        const { content } = data as { readonly content: string };
        show((log) => appendText(log, content));
      }
    } catch (error) {
      // The banner of the page shows connection errors. Other errors are permanent unless the service is
      // busy.
      if (error instanceof ApiError && error.status !== 429 && error.status !== 503) return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, retryDelayMs);
    });
  }
}

function appendText(log: LogTail, more: string): LogTail {
  const text = log.text + more;
  if (text.length <= maximumCharacters) return { ...log, text, loaded: true };
  const kept = text.slice(-maximumCharacters);
  return { ...log, text: kept.slice(kept.indexOf('\n') + 1), truncated: true, loaded: true };
}

/** Returns whether the tab is visible. */
function usePageVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const update = (): void => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return visible;
}
