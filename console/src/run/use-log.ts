/** The end of a log and, while it is followed, what comes. */
import { useEffect, useRef, useState } from 'react';
import type { LogPage } from '../api/documents.ts';
import { Refusal, type Sender } from '../api/request.ts';
import { serverEvents } from '../api/server-events.ts';
import { useSession } from '../session.tsx';

export type LogStream = 'stdout' | 'stderr';

export interface ShownLog {
  readonly text: string;
  /** Something before it is not shown. */
  readonly cut: boolean;
  /** Nothing follows. */
  readonly complete: boolean;
  /** It was read at least once. */
  readonly read: boolean;
}

const nothing: ShownLog = { text: '', cut: false, complete: false, read: false };
/** Lines that are asked for at first, and characters that are kept on the page. */
const [linesFirst, charactersMost] = [1_000, 400_000];
/** How soon a broken connection is tried again, ms. */
const retryMs = 2_000;

/** @param following whether more of it is waited for; a tab that is not seen waits for nothing */
export function useLog(runId: number, stream: LogStream, following: boolean): ShownLog {
  const { sender } = useSession();
  const seen = useSeen();
  const [log, setLog] = useState(nothing);
  const next = useRef<number | undefined>(undefined);
  useEffect(() => {
    next.current = undefined;
    setLog(nothing);
  }, [runId, stream]);
  const wanted = seen && (following || !log.read);
  useEffect(() => {
    if (!wanted || log.complete) return undefined;
    const leaving = new AbortController();
    void keepReading(sender, { runId, stream, following, next }, setLog, leaving.signal);
    return () => leaving.abort();
    // What was read is no reason to begin anew; that it is complete is one to stop.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [sender, runId, stream, following, wanted, log.complete]);
  return log;
}

interface Reading {
  readonly runId: number;
  readonly stream: LogStream;
  readonly following: boolean;
  readonly next: { current: number | undefined };
}

/**
 * Reads until the log is complete or nobody looks any more; a connection that breaks is made again where it
 * was.
 */
async function keepReading(
  sender: Sender,
  { runId, stream, following, next }: Reading,
  show: (change: (log: ShownLog) => ShownLog) => void,
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
        show(() => ({ text: page.content, cut: page.offset > 0, complete: page.complete, read: true }));
        if (page.complete) return;
      }
      if (!following) return;
      const response = await sender.open(
        '2.1/jobs/runs/logs/stream',
        { run_id: runId, stream, offset: next.current },
        signal,
      );
      for await (const { id, name, data } of serverEvents(response)) {
        next.current = id;
        if (name === 'end') {
          show((log) => ({ ...log, complete: true, read: true }));
          return;
        }
        const { content } = data as { readonly content: string };
        show((log) => appended(log, content));
      }
    } catch (error) {
      // The rest of the page says what is wrong. What is refused once is refused again, unless the service is
      // busy.
      if (error instanceof Refusal && error.status !== 429 && error.status !== 503) return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, retryMs);
    });
  }
}

function appended(log: ShownLog, more: string): ShownLog {
  const text = log.text + more;
  if (text.length <= charactersMost) return { ...log, text, read: true };
  const kept = text.slice(-charactersMost);
  return { ...log, text: kept.slice(kept.indexOf('\n') + 1), cut: true, read: true };
}

/** Whether somebody can see this tab. */
function useSeen(): boolean {
  const [seen, setSeen] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const look = (): void => setSeen(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return seen;
}
