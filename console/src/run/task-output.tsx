/** What an attempt gave back: its result, or its error with the trace; and its logs. */
import { useState } from 'react';
import type { Output, TaskRun } from '../api/documents.ts';
import { useAnswer } from '../api/queries.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { SaveLink } from '../parts/save-link.tsx';
import { useEnd } from '../parts/use-end.ts';
import { addressOf } from '../route.ts';
import { isActive } from '../states.ts';
import { LogView } from './log-view.tsx';
import { lastLines, plainText } from './plain-text.ts';

/** How often a task that starts another run is asked for that run, ms. */
const whileActive = 3_000;

const linesShown = 1_000;

export function TaskOutput({ task }: { readonly task: TaskRun }) {
  const begun = task.start_time > 0;
  const active = isActive(task.state);
  const { data, error, refetch } = useAnswer<Output>(
    '2.1/jobs/runs/get-output',
    { run_id: task.run_id },
    {
      enabled: begun || !active,
      every: active && task.run_job_task !== undefined ? whileActive : false,
      edition: task.state.life_cycle_state,
      keepsPrevious: true,
    },
  );
  if (!begun && active) return <p className="empty">Nothing yet: the task has not begun.</p>;
  if (error !== null && data === undefined)
    return <Failure error={error} what="Reading the output" retry={refetch} />;
  if (data === undefined) return <Loading what="output" />;
  const {
    notebook_output: notebook,
    plugin_output: plugin,
    error: failure,
    error_trace: trace,
    run_job_output: started,
  } = data;
  const result = notebook ?? plugin;
  return (
    <>
      {failure !== undefined && (
        <p className="notice bad">
          <strong>Error</strong> {plainText(failure)}
        </p>
      )}
      {started !== undefined && (
        <p>
          It started <a href={addressOf.anyRun(started.run_id)}>run {started.run_id}</a>, whose end is its
          own.
        </p>
      )}
      {trace !== undefined && (
        <Text title="Trace" text={plainText(trace)} name={`trace-${task.run_id}.txt`} tone="bad" />
      )}
      {result?.result !== undefined && (
        <Text
          title="Result"
          text={result.result}
          name={`result-${task.run_id}.txt`}
          {...(result.truncated === true && { hint: 'Only the beginning is kept.' })}
        />
      )}
      {task.run_job_task === undefined && (
        <LogView key={task.run_id} task={task} quiet={task.notebook_task !== undefined} />
      )}
    </>
  );
}

interface TextProps {
  readonly title: string;
  readonly text: string;
  /** Name of the file when it is saved. */
  readonly name: string;
  readonly hint?: string;
  readonly tone?: 'bad';
}

/** A long text: its end first, all of it when it is wanted. */
function Text({ title, text, name, hint, tone }: TextProps) {
  const [all, setAll] = useState(false);
  const tail = lastLines(text, linesShown);
  const shown = all ? text : tail.text;
  const end = useEnd();
  return (
    <section className="text" aria-label={title}>
      <h3>
        {title} <SaveLink text={text} name={name} type="text/plain" />
      </h3>
      {!all && tail.lines > linesShown && (
        <p className="hint">
          The last {linesShown} of {tail.lines} lines.{' '}
          <button type="button" className="link" onClick={() => setAll(true)}>
            Show all
          </button>
        </p>
      )}
      {hint !== undefined && <p className="hint">{hint}</p>}
      <pre {...end} tabIndex={0} aria-label={title} className={tone}>
        {shown}
      </pre>
    </section>
  );
}
