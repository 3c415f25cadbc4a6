/** Explanation of a failure: cause, place, next step, attempts and evidence. Each text appears once. */
import type { Explanation, Run } from '../api/documents.ts';
import { linkTo } from '../route.ts';

/** @param run run of the page, whose table lists the attempts of its tasks */
export function ExplanationView({
  explanation,
  run,
  tone,
}: {
  readonly explanation: Explanation;
  readonly run: Pick<Run, 'job_id' | 'tasks'>;
  readonly tone: string;
}) {
  const { cause, place, next_step: nextStep, others, retries, attempts = [] } = explanation;
  const ownAttempts = new Set(run.tasks.map((task) => task.run_id));
  // Attempts of a single-task run are runs of their own, which the page does not list otherwise.
  const otherRuns = attempts.filter(({ run_id: id }) => !ownAttempts.has(id)).length > 0 ? attempts : [];
  const showsPlace = place.text !== '' && !cause.includes(place.text);
  return (
    <section className={`banner explanation ${tone}`} aria-label="Explanation">
      <p>
        <strong>{cause}</strong>
        {showsPlace && <> ({place.text})</>}{' '}
        <code title="Stable code of the cause">{explanation.cause_code}</code>
      </p>
      {nextStep !== '' && (
        <p>
          <span className="label">Next step</span> {nextStep}
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

function causeWithPlace({ cause, place }: Explanation): string {
  return place.text === '' || cause.includes(place.text) ? cause : `${cause} (${place.text})`;
}
