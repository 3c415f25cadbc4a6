/** Explanations in responses: with all attempts of the same work and their pages. */
import type { RunReader } from '../../engine/ports/run-reader.ts';
import type { ExplainedAttempt, Explanation } from '../../engine/run/explain/explanation.ts';
import { renderCause } from '../../engine/run/explain/explanation.ts';
import type { Progress, Run, RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { pageUrl, type ViewContext } from './run-view-fields.ts';

/** Returns the cause of an attempt in one phrase; '' for one that has not failed. */
function causeOf({ explanation, message, state, result }: Progress): string {
  if (explanation !== undefined) return renderCause(explanation.cause, explanation.place);
  return state === 'TERMINATED' && result !== 'SUCCESS' ? message : '';
}

/**
 * Returns the attempts of a single-task run, which are runs of their own; undefined for a run without
 * retries. Links lead backward and forward.
 */
async function listAttemptsOf(
  runs: Pick<RunReader, 'listAttempts'>,
  { run }: RunWithTasks,
  context: ViewContext,
): Promise<ExplainedAttempt[] | undefined> {
  if (run.format !== 'SINGLE_TASK') return undefined;
  if (run.attempt === 0 && (run.settings.max_retries ?? 0) === 0) return undefined;
  const attempts = await runs.listAttempts(run);
  if (attempts.length < 2) return undefined;
  return attempts.map((one) => ({
    run_id: one.runId,
    attempt: one.attempt,
    cause: causeOf(one.progress),
    run_page_url: pageUrl(one, one.runId, context),
  }));
}

/** Returns the attempts of a task of a multi-task run; undefined for a task without retries. */
export function attemptsOfTask(
  run: Run,
  tasks: readonly TaskRun[],
  taskKey: string | undefined,
  context: ViewContext,
): ExplainedAttempt[] | undefined {
  const own = tasks.filter((task) => task.taskKey === taskKey);
  if (own.length < 2) return undefined;
  return own.map(({ runId, attempt, progress }) => ({
    run_id: runId,
    attempt,
    cause: causeOf(progress),
    run_page_url: pageUrl(run, runId, context),
  }));
}

/** Adds attempts to the explanation of a document. */
export function withAttempts(
  explanation: Explanation | undefined,
  attempts: ExplainedAttempt[] | undefined,
): { readonly explanation?: Explanation } {
  if (explanation === undefined || attempts === undefined) return {};
  return { explanation: { ...explanation, attempts } };
}

/** Returns the explanation of a run with the attempts of the task that failed, or of the single-task run. */
export async function explainWithAttempts(
  runs: Pick<RunReader, 'listAttempts'>,
  found: RunWithTasks,
  context: ViewContext,
): Promise<{ readonly explanation?: Explanation }> {
  const { explanation } = found.run.progress;
  const ofTask = attemptsOfTask(found.run, found.tasks, explanation?.place.task_key, context);
  return withAttempts(explanation, ofTask ?? (await listAttemptsOf(runs, found, context)));
}
