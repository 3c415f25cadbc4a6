/** Explains the ends that follow from other tasks or runs: a multi-task run, a skipped task, a skipped run. */
import { renderMessage, type Explained, type Explanation } from './explanation.ts';
import { cancelText, timeoutText } from './explain-stop.ts';
import type { Stop } from './failure.ts';

/** A task of a run that did not succeed. */
export interface UnsuccessfulTask {
  readonly key: string;
  readonly state: string;
  readonly message: string;
  readonly explanation: Explanation | undefined;
}

/** Phrase `1 other task failed and 2 were skipped`; undefined when there are none. */
function othersText(failed: number, skipped: number): string | undefined {
  const word = (count: number): string => (count === 1 ? 'task' : 'tasks');
  const were = (count: number): string => (count === 1 ? 'was' : 'were');
  if (failed === 0 && skipped === 0) return undefined;
  if (skipped === 0) return `${failed} other ${word(failed)} failed`;
  if (failed === 0) return `${skipped} ${word(skipped)} ${were(skipped)} skipped`;
  return `${failed} other ${word(failed)} failed and ${skipped} ${were(skipped)} skipped`;
}

/**
 * Explains a multi-task run by the task that failed first.
 * @param failed number of other tasks that failed
 * @param skipped number of tasks that were skipped because of a failure
 */
export function explainRunByTask(first: UnsuccessfulTask, failed: number, skipped: number): Explained {
  const { key, state, message, explanation } = first;
  const others = othersText(failed, skipped);
  const withOthers = (text: string): string => (others === undefined ? text : `${text} ${others}.`);
  if (state === 'SKIPPED') {
    // Its upstream task was repaired without it.
    const text = `Task ${key} was skipped: ${endSentence(message)}`;
    return { message: withOthers(text), explanation: explanationOf(first, text, others) };
  }
  const text =
    message === '' ? `Task ${key} failed.` : `Task ${key} failed with message: ${endSentence(message)}`;
  return {
    message: withOthers(text),
    explanation:
      explanation === undefined
        ? explanationOf(first, text, others)
        : { ...explanation, ...(others !== undefined && { others }) },
  };
}

function explanationOf(
  { key, explanation }: UnsuccessfulTask,
  cause: string,
  others: string | undefined,
): Explanation {
  return {
    cause_code: explanation?.cause_code ?? 'USER_CODE',
    cause,
    place: explanation?.place ?? { text: `task ${key}`, task_key: key },
    next_step: explanation?.next_step ?? `Open task ${key}, correct it, and repair the run.`,
    ...(others !== undefined && { others }),
  };
}

/** Explains a task that was skipped because of a task before it. */
export function explainUpstream(
  key: string,
  upstream: { readonly key: string; readonly wasSkipped: boolean; readonly root: string },
): Explained {
  const cause = upstream.wasSkipped
    ? `Upstream task ${upstream.key} was skipped${upstream.root === upstream.key ? '' : ` because task ${upstream.root} failed`}`
    : `Upstream task ${upstream.key} failed`;
  const explanation: Explanation = {
    cause_code: 'UPSTREAM',
    cause,
    place: { text: `task ${upstream.root}`, task_key: key },
    next_step: `Correct task ${upstream.root} and repair the run; this task runs with it.`,
  };
  return { explanation, message: renderMessage('', explanation) };
}

/** Explains a task that did not run because its run_if asks for something else. */
export function explainExcluded(
  key: string,
  runIf: string,
  upstream: readonly { readonly key: string; readonly outcome: string }[],
): Explained {
  const explanation: Explanation = {
    cause_code: 'EXCLUDED',
    cause: `Not run, as configured: run_if is ${runIf} and ${formatList(upstream.map(({ key: one, outcome }) => `${one} ${outcome}`))}`,
    place: { text: `task ${key}`, task_key: key },
    next_step: 'No action needed.',
  };
  // The task is the one with this message: it needs no place.
  return { explanation, message: `${explanation.cause}. ${explanation.next_step}` };
}

/** Explains the end of a run or of a task that never started, by a stop of the run. */
export function explainStopOfRun(stop: Stop, taskKey: string | undefined, pending?: string): Explained {
  const limit = stop.reason === 'timeout' ? timeoutText(stop.limit) : cancelText(stop.by);
  const where = taskKey === undefined ? '' : `. Task ${taskKey} had not started`;
  const explanation: Explanation = {
    cause_code: stop.reason === 'timeout' ? 'TIMEOUT' : 'CANCELLED',
    cause: `${limit}${pending === undefined ? where : `. ${pending}`}`,
    place: {
      text: taskKey === undefined ? '' : `task ${taskKey}`,
      ...(taskKey !== undefined && { task_key: taskKey }),
    },
    next_step:
      stop.reason === 'timeout'
        ? 'Raise the timeout, or find what was slow in the logs of the tasks.'
        : 'Repair the run or start it again when it is wanted.',
  };
  // A task that never ran has the text of the run's stop: the place is in the text.
  return { explanation, message: `${explanation.cause}. ${explanation.next_step}` };
}

/** Explains a run that was skipped because of other runs of its job, or of the workspace. */
export function explainConcurrency(message: string, activeRuns: readonly number[]): Explained {
  const activeRunsText =
    activeRuns.length === 0
      ? ''
      : `${activeRuns.length === 1 ? 'Run' : 'Runs'} ${formatList(activeRuns.map(String))}`;
  const active =
    activeRunsText === ''
      ? ''
      : ` ${activeRunsText} ${activeRuns.length === 1 ? 'was' : 'were'} still active.`;
  const nextStep = nextStepOf(message);
  const cause = `${message}${active}`;
  return {
    message: `${cause} ${nextStep}`,
    explanation: { cause_code: 'CONCURRENCY', cause, place: { text: activeRunsText }, next_step: nextStep },
  };
}

/** A queue does not help a job that may have no run at all. */
function nextStepOf(message: string): string {
  if (message.includes('limit of 0 ')) return 'Raise max_concurrent_runs: with 0, every run is skipped.';
  return message.startsWith('Skipping')
    ? 'Raise max_concurrent_runs, or enable queue.'
    : 'Start fewer runs at once, or enable queue.';
}

/** Explains a run that waited too long in the queue. */
export function explainQueueTimeout(hours: number): Explained {
  const cause = `Skipping this run because it has waited ${hours} ${hours === 1 ? 'hour' : 'hours'} in the queue, the longest time allowed.`;
  const nextStep = 'Raise max_concurrent_runs, or start fewer runs.';
  return {
    message: `${cause} ${nextStep}`,
    explanation: { cause_code: 'TIMEOUT', cause, place: { text: 'queue' }, next_step: nextStep },
  };
}

/** Formats a list: `a`, `a and b`, `a, b and c`. */
function formatList(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
