/** The end of a log and, while it is followed, what comes. */
import { useEffect, useRef, useState } from 'react';
import type { LogPage } from '../api/documents.ts';
import { ApiError, type ApiClient } from '../api/api-client.ts';
import { readServerEvents } from '../api/server-events.ts';
import { useSession } from '../session.tsx';

export type LogStream = 'stdout' | 'stderr';

export interface LogTail {
  readonly text: string;
  /** Something before it is not shown. */
  readonly truncated: boolean;
  /** Nothing follows. */
  readonly complete: boolean;
  /** It was read at least once. */
  readonly loaded: boolean;
}

const emptyTail: LogTail = { text: '', truncated: false, complete: false, loaded: false };
/** Lines that are asked for at first, and characters that are kept on the page. */
const [linesFirst, charactersMost] = [1_000, 400_000];
/** How soon a broken connection is tried again, ms. */
const retryDelayMs = 2_000;

/** @param following whether more of it is waited for; a tab that is not seen waits for nothing */
export function useLogTail(runId: number, stream: LogStream, following: boolean): LogTail {
  const { apiClient } = useSession();
  const seen = usePageVisible();
  const [log, setLog] = useState(emptyTail);
  const next = useRef<number | undefined>(undefined);
  useEffect(() => {
    next.current = undefined;
    setLog(emptyTail);
  }, [runId, stream]);
  const wanted = seen && (following || !log.loaded);
  useEffect(() => {
    if (!wanted || log.complete) return undefined;
    const leaving = new AbortController();
    void readLogTail(apiClient, { runId, stream, following, next }, setLog, leaving.signal);
    return () => leaving.abort();
    // What was read is no reason to begin anew; that it is complete is one to stop.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [apiClient, runId, stream, following, wanted, log.complete]);
  return log;
}

interface LogReading {
  readonly runId: number;
  readonly stream: LogStream;
  readonly following: boolean;
  readonly next: { current: number | undefined };
}

/**
 * Reads until the log is complete or nobody looks any more; a connection that breaks is made again where it
 * was.
 */
async function readLogTail(
  sender: ApiClient,
  { runId, stream, following, next }: LogReading,
  show: (change: (log: LogTail) => LogTail) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (next.current === undefined) {
        const page = await sender.get<LogPage>(
          '2.1/jobs/runs/logs',
          { run_id: runId, stream, tail: linesFirst },
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
      const response = await sender.getStream(
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
      // The rest of the page says what is wrong. What is refused once is refused again, unless the service is
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
  if (text.length <= charactersMost) return { ...log, text, loaded: true };
  const kept = text.slice(-charactersMost);
  return { ...log, text: kept.slice(kept.indexOf('\n') + 1), truncated: true, loaded: true };
}

/** Whether somebody can see this tab. */
function usePageVisible(): boolean {
  const [seen, setSeen] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const look = (): void => setSeen(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return seen;
}
