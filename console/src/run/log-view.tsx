/** Log of an attempt: follows its end in colour, and offers the whole log as a file. */
import { useMemo, useState } from 'react';
import type { LogPage, TaskRun } from '../api/documents.ts';
import type { ApiClient } from '../api/api-client.ts';
import { DownloadButton } from '../parts/download-button.tsx';
import { useScrollToEnd } from '../parts/use-scroll-to-end.ts';
import { isActive } from '../state-labels.ts';
import { parseAnsiText } from './ansi-text.ts';
import { useLogTail, type LogStream } from './use-log-tail.ts';

/** @param hideEmpty hides an empty log, for notebooks, whose output is in their cells */
export function LogView({ task, hideEmpty }: { readonly task: TaskRun; readonly hideEmpty: boolean }) {
  const active = isActive(task.state);
  const [chosen, choose] = useState<LogStream | undefined>(undefined);
  const [following, setFollowing] = useState(true);
  const stdout = useLogTail(task.run_id, 'stdout', following && chosen !== 'stderr');
  // Without a choice, the view shows the stream that has output.
  const stream = chosen ?? (stdout.complete && stdout.text === '' ? 'stderr' : 'stdout');
  const stderr = useLogTail(task.run_id, 'stderr', following && stream === 'stderr');
  const log = stream === 'stdout' ? stdout : stderr;
  if (hideEmpty && stdout.text === '' && stderr.text === '') return null;
  return (
    <section className="text" aria-label="Logs">
      <h3>
        <span>Logs</span>
        <span className="tools">
          {(['stdout', 'stderr'] as const).map((name) => (
            <button
              key={name}
              type="button"
              className="link"
              aria-pressed={name === stream}
              onClick={() => choose(name)}
            >
              {name}
            </button>
          ))}
          {active && !log.complete && (
            <button type="button" className="link" onClick={() => setFollowing(!following)}>
              {following ? 'Stop following' : 'Follow'}
            </button>
          )}
          <DownloadButton
            label="Save the whole log"
            fileName={`${stream}-${task.run_id}.txt`}
            fetchContent={(apiClient) => readWholeLog(apiClient, task.run_id, stream)}
          />
          <DownloadButton
            label="Save the run bundle"
            fileName={`run-of-${task.run_id}.tar.gz`}
            fetchContent={async (apiClient) =>
              (await apiClient.getStream('2.1/jobs/runs/bundle', { run_id: task.run_id })).blob()
            }
          />
        </span>
      </h3>
      {log.truncated && (
        <p className="hint">Only the end of the log is shown. Save the whole log to read all of it.</p>
      )}
      {log.loaded && log.text === '' && (
        <p className="empty">
          {active && !log.complete ? `No output on ${stream} so far.` : `No output on ${stream}.`}
        </p>
      )}
      <LogText text={log.text} />
    </section>
  );
}

function LogText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => parseAnsiText(text), [text]);
  const end = useScrollToEnd();
  return (
    <pre {...end} tabIndex={0} aria-label="Logs" hidden={text === ''}>
      {pieces.map(({ offset, text: part, className }) =>
        className === '' ? (
          part
        ) : (
          <span key={offset} className={className}>
            {part}
          </span>
        ),
      )}
    </pre>
  );
}

/** Reads the log page by page, so that neither side holds a long log as one string. */
async function readWholeLog(apiClient: ApiClient, runId: number, stream: LogStream): Promise<Blob> {
  const parts: string[] = [];
  for (let offset = 0; ;) {
    const page: LogPage = await apiClient.get<LogPage>('2.1/jobs/runs/logs', {
      run_id: runId,
      stream,
      offset,
    });
    parts.push(page.content);
    if (page.next_offset <= offset) return new Blob(parts, { type: 'text/plain;charset=utf-8' });
    offset = page.next_offset;
  }
}
