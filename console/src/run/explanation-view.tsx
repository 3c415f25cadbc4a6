/** Explanation of a failure: cause, place, next step, attempts and evidence. Each text appears once. */
import type { Explanation, Run } from '../api/documents.ts';
import { linkTo } from '../route.ts';

/** @param run run of the page, whose table lists the attempts of its tasks */
export function ExplanationView({
  explanation,
  run,
  tone,
  named = false,
}: {
  readonly explanation: Explanation;
  readonly run: Pick<Run, 'job_id' | 'tasks'>;
  readonly tone: string;
  /** True: names the task that failed. */
  readonly named?: boolean;
}) {
  const { cause, place, next_step: nextStep, others, retries, attempts = [] } = explanation;
  // In the banner of a run with several tasks.
  const failedTask = named ? run.tasks.find(({ task_key: key }) => key === place.task_key) : undefined;
  const ownAttempts = new Set(run.tasks.map((task) => task.run_id));
  // Attempts of a single-task run are runs of their own, which the page does not list otherwise.
  const otherRuns = attempts.filter(({ run_id: id }) => !ownAttempts.has(id)).length > 0 ? attempts : [];
  return (
    <section className={`banner explanation ${tone}`} aria-label="Explanation">
      <p>
        {failedTask !== undefined && (
          <>
            Task <a href={linkTo.run(run.job_id, place.run_id ?? failedTask.run_id)}>{failedTask.task_key}</a>
            :{' '}
          </>
        )}
        <strong>{cause}</strong>
        {showsPlace(explanation) && <> ({place.text})</>}{' '}
        <code title="Stable code of the cause">{explanation.cause_code}</code>
      </p>
      {nextStep !== '' && (
        <p>
          <strong>Next step:</strong> {nextStep}
        </p>
      )}
      {others !== undefined && <p>{others}.</p>}
      {retries !== undefined && <p>{retries}.</p>}
      {otherRuns.length > 1 && (
        <ol className="attempts">
          {otherRuns.map(({ run_id: runId, cause: why }) => (
            <li key={runId}>
              <a href={linkTo.run(run.job_id, runId)}>run {runId}</a>
              {why !== '' && <> {why === causeWithPlace(explanation) ? 'the same cause' : why}</>}
            </li>
          ))}
        </ol>
      )}
      <EvidenceView explanation={explanation} />
    </section>
  );
}

/** Facts behind the explanation. The user's frames come first; the trace of the output has the rest. */
function EvidenceView({ explanation }: { readonly explanation: Explanation }) {
  const evidence = explanation.evidence ?? {};
  const {
    frames = [],
    folded_frames: folded = 0,
    last_lines: lines = [],
    limits = [],
    details = [],
  } = evidence;
  // The next step names the limits that matter.
  const texts = [...limits, ...details].filter((text) => !explanation.next_step.includes(text));
  if (frames.length + lines.length + texts.length === 0 && evidence.child_run_id === undefined) return null;
  return (
    <div className="evidence">
      {evidence.child_run_id !== undefined && (
        <p>
          <a href={linkTo.anyRun(evidence.child_run_id)}>Open run {evidence.child_run_id}</a>
        </p>
      )}
      {frames.length > 0 && (
        <pre tabIndex={0} aria-label="Frames of your code">
          {frames.join('\n')}
        </pre>
      )}
      {folded > 0 && (
        <p className="hint">
          {folded} {folded === 1 ? 'frame' : 'frames'} of libraries folded; the trace below has them.
        </p>
      )}
      {lines.length > 1 && (
        <pre tabIndex={0} aria-label="Last output">
          {lines.join('\n')}
        </pre>
      )}
      {texts.length > 0 && (
        <details>
          <summary>Evidence</summary>
          <ul>
            {texts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Returns the message of a list row: the cause with its place, or the state message. */
export function shortMessageOf({
  explanation,
  state,
}: {
  readonly explanation?: Explanation;
  readonly state: { readonly state_message: string };
}): string {
  return explanation === undefined ? state.state_message : causeWithPlace(explanation);
}

/** Returns what an explanation adds to one that the page shows already; undefined for nothing. */
export function withoutRepeats(
  explanation: Explanation | undefined,
  shown: Explanation | undefined,
): Explanation | undefined {
  if (explanation === undefined || shown === undefined) return explanation;
  const known = new Set(sentencesOf(shown.cause));
  const added = sentencesOf(explanation.cause).filter((sentence) => !known.has(sentence));
  if (added.length === 0) return undefined;
  return {
    ...explanation,
    cause: added.join('. '),
    next_step: explanation.next_step === shown.next_step ? '' : explanation.next_step,
  };
}

function sentencesOf(text: string): string[] {
  return text.replace(/\.$/, '').split(/\.\s+/);
}

/** Returns the message of a run in a list, with the task that failed. Single-task jobs have one task, `main`. */
export function runMessageOf(run: Parameters<typeof shortMessageOf>[0]): string {
  const key = run.explanation?.place.task_key;
  const task = key === undefined || key === 'main' ? '' : `Task ${key}: `;
  return `${task}${shortMessageOf(run)}`;
}

function causeWithPlace(explanation: Explanation): string {
  const { cause, place } = explanation;
  return showsPlace(explanation) ? `${cause.replace(/\.$/, '')} (${place.text})` : cause;
}

/** Returns false for a place that the cause names, and for that of a task as a whole. */
function showsPlace({ cause, place }: Explanation): boolean {
  return place.text !== '' && place.text !== `task ${place.task_key}` && !cause.includes(place.text);
}
