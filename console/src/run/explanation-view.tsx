/** Explanation of a failure: cause, place, next step, attempts and evidence. Each text appears once. */
import type { Explanation } from '../api/documents.ts';
import { linkTo } from '../route.ts';

/** @param jobId job of the run, for the links to its attempts */
export function ExplanationView({
  explanation,
  jobId,
  tone,
}: {
  readonly explanation: Explanation;
  readonly jobId: number;
  readonly tone: string;
}) {
  const { cause, place, next_step: nextStep, others, retries, attempts = [] } = explanation;
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
      {attempts.length > 1 && (
        <ol className="attempts">
          {attempts.map(({ run_id: runId, cause: why }) => (
            <li key={runId}>
              <a href={linkTo.run(jobId, runId)}>run {runId}</a>
              {why !== '' && why !== cause && <> {why}</>}
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
  const texts = [...limits, ...details];
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
  if (explanation === undefined) return state.state_message;
  const { cause, place } = explanation;
  return place.text === '' || cause.includes(place.text) ? cause : `${cause} (${place.text})`;
}
