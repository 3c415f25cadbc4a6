/** Output of an attempt: result, or error with trace; and logs. */
import { useState } from 'react';
import type { RunOutput, TaskRun } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { SaveButton } from '../parts/save-button.tsx';
import { useScrollToEnd } from '../parts/use-scroll-to-end.ts';
import { linkTo } from '../route.ts';
import { isActive } from '../state-labels.ts';
import { LogView } from './log-view.tsx';
import { TaskSparkProgress } from './task-spark-progress.tsx';
import { tailLines, stripEscapeSequences } from './plain-text.ts';

/** Refresh interval of an active task that starts another run or uses Spark, ms. */
const activeRefreshMs = 3_000;

const tailLineCount = 1_000;

export function TaskOutput({ task }: { readonly task: TaskRun }) {
  const hasStarted = task.start_time > 0;
  const active = isActive(task.state);
  const { data, error, refetch } = useApiQuery<RunOutput>(
    '2.1/jobs/runs/get-output',
    { run_id: task.run_id },
    {
      enabled: hasStarted || !active,
      refetchInterval: (output) => (active && hasProgress(task, output) ? activeRefreshMs : false),
      revision: task.state.life_cycle_state,
      keepPrevious: true,
    },
  );
  if (!hasStarted && active) return <p className="empty">The task has not started yet.</p>;
  if (error !== null && data === undefined)
    return <ErrorMessage error={error} action="load the output" retry={refetch} />;
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
      {failure !== undefined && task.explanation === undefined && (
        <p className="banner bad">
          <strong>Error</strong> {stripEscapeSequences(failure)}
        </p>
      )}
      {started !== undefined && (
        <p>
          Started <a href={linkTo.anyRun(started.run_id)}>run {started.run_id}</a>; its page has the result.
        </p>
      )}
      {active && <TaskSparkProgress output={data} />}
      {trace !== undefined && <TraceView task={task} trace={trace} />}
      {result?.result !== undefined && (
        <TextBlock
          title="Result"
          text={result.result}
          fileName={`result-${task.run_id}.txt`}
          {...(result.truncated === true && { hint: 'Truncated: only the beginning is stored.' })}
        />
      )}
      {task.run_job_task === undefined && (
        <LogView key={task.run_id} task={task} hideEmpty={task.notebook_task !== undefined} />
      )}
    </>
  );
}

/** Kinds of tasks that may use Spark. */
const sparkKinds = [
  'notebook_task',
  'spark_python_task',
  'python_wheel_task',
  'spark_jar_task',
  'spark_submit_task',
] as const;

/** Tells whether the output of an active task changes before its end, apart from its log. */
function hasProgress(task: TaskRun, output: RunOutput | undefined): boolean {
  if (task.run_job_task !== undefined || output?.spark_progress !== undefined) return true;
  return sparkKinds.some((kind) => task[kind] !== undefined);
}

/** Whole trace of a failure; folded where the explanation shows the frames of the user. */
function TraceView({ task, trace }: { readonly task: TaskRun; readonly trace: string }) {
  return (
    <details className="trace" open={task.explanation?.evidence?.frames === undefined}>
      <summary>Trace</summary>
      <TextBlock
        title="Trace"
        text={stripEscapeSequences(trace)}
        fileName={`trace-${task.run_id}.txt`}
        tone="bad"
      />
    </details>
  );
}

interface TextBlockProps {
  readonly title: string;
  readonly text: string;
  /** Name of the file when it is saved. */
  readonly fileName: string;
  readonly hint?: string;
  readonly tone?: 'bad';
}

/** Long text: shows its end first, and all of it on request. */
function TextBlock({ title, text, fileName: name, hint, tone }: TextBlockProps) {
  const [all, setAll] = useState(false);
  const tail = tailLines(text, tailLineCount);
  const shown = all ? text : tail.text;
  const end = useScrollToEnd();
  return (
    <section className="text" aria-label={title}>
      <h3>
        {title} <SaveButton text={text} fileName={name} type="text/plain" />
      </h3>
      {!all && tail.lines > tailLineCount && (
        <p className="hint">
          The last {tailLineCount} of {tail.lines} lines.{' '}
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
