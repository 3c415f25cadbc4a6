/** Renders an explanation as text, for the command line and the bundle. */
import type { Explanation } from './explanation.ts';

/** Returns the lines of an explanation with its evidence. @param subject `Run 17 of job nightly failed` */
export function renderExplanation(subject: string, explanation: Explanation): string[] {
  const { cause_code: code, cause, place, next_step: next, others, retries, evidence = {} } = explanation;
  const rows: (readonly [string, string | undefined])[] = [
    ['Cause', `${cause} [${code}]`],
    ['Place', place.text],
    ['Task', place.task_key],
    ['Cluster', place.cluster_id],
    ['Node', place.node],
    ['Attempts', retries],
    ['Other tasks', others],
    ['Next step', next],
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return [
    subject,
    '',
    ...rows.flatMap(([label, value]) =>
      value === undefined || value === '' ? [] : [`${`${label}:`.padEnd(width)}${value}`],
    ),
    ...section('Attempts', explanation.attempts?.map(renderAttempt)),
    ...section('Frames of your code', evidence.frames, foldedText(evidence.folded_frames)),
    ...section('Last output', evidence.last_lines),
    // The next step names the limits that matter.
    ...section(
      'Limits',
      evidence.limits?.filter((limit) => !next.includes(limit)),
    ),
    ...section('Details', [
      ...(evidence.details ?? []),
      ...(evidence.exit_status === undefined ? [] : [`Exit status ${evidence.exit_status}`]),
      ...(evidence.query === undefined ? [] : [`Query: ${evidence.query}`]),
      ...(evidence.child_run_id === undefined ? [] : [`Started run ${evidence.child_run_id}`]),
    ]),
  ];
}

function renderAttempt({
  attempt,
  run_id: runId,
  cause,
}: NonNullable<Explanation['attempts']>[number]): string {
  return `${attempt + 1}. run ${runId}${cause === '' ? '' : `: ${cause}`}`;
}

function foldedText(folded: number | undefined): string[] {
  if (folded === undefined) return [];
  return [`(${folded} ${folded === 1 ? 'frame' : 'frames'} of libraries not shown)`];
}

function section(title: string, lines: readonly string[] = [], more: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...[...lines, ...more].map((line) => `  ${line}`)];
}
