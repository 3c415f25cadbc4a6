/** Explains timeouts and cancellations: whose limit, what the task did, who asked. */
import type { Cause } from './explain-error.ts';
import type { FailureContext, Stop, StopPhase, StopRequest } from './failure.ts';

/** Phrase that clients know. */
const cancelledPrefix = 'Run cancelled by user';
const timedOutPrefix = 'Run timed out';

/** Formats a duration: `4.9 s`, `3 min 5 s`. */
function formatWait(ms: number): string {
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  const rest = seconds % 60 === 0 ? '' : ` ${seconds % 60} s`;
  return seconds < 3_600
    ? `${Math.floor(seconds / 60)} min${rest}`
    : `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** Returns who cancelled a run: `Run cancelled by user ada@example.org through the token "ci"`. */
export function cancelText(by: StopRequest | undefined): string {
  const { user, through, because, text } = by ?? {};
  if (text !== undefined) return text.replace(/\.$/, '');
  if (user === undefined && because !== undefined) return `${cancelledPrefix} request: ${because}`;
  return [cancelledPrefix, user, through && `through ${through}`].filter(Boolean).join(' ');
}

/** Returns whose limit ended a run: `Run timed out: task s reached its timeout_seconds of 3`. */
export function timeoutText({ owner, seconds }: { owner: string; seconds: number }): string {
  return `${timedOutPrefix}: ${owner} reached its timeout_seconds of ${seconds}`;
}

/** Explains a stop of a task. */
export function explainStop(stop: Stop, phase: StopPhase, { taskKey, isMultiTask }: FailureContext): Cause {
  const subject = isMultiTask ? `Task ${taskKey}` : 'The task';
  switch (stop.reason) {
    case 'cancel':
      return {
        code: 'CANCELLED',
        cause: withPhase(cancelText(stop.by), phase, subject),
        nextStep: isMultiTask
          ? 'Repair the run to go on with the tasks that did not succeed.'
          : 'Start the run again when it is wanted.',
      };
    case 'timeout':
      return {
        code: 'TIMEOUT',
        cause: withPhase(timeoutText(stop.limit), withinLimit(phase, stop.limit.seconds), subject),
        nextStep: nextStepOf[phase.kind],
        evidence: { limits: [`timeout_seconds of ${stop.limit.owner}: ${stop.limit.seconds}`] },
      };
    default:
      return stop satisfies never;
  }
}

const nextStepOf: Readonly<Record<StopPhase['kind'], string>> = {
  'not started': 'Raise the timeout, or make the tasks before this one faster.',
  waiting: 'Raise the timeout, or remove what it waited for.',
  running: 'Raise the timeout, or find what was slow in the log.',
  'child run': 'Raise the timeout, or find what was slow in that run.',
  plugin: "Tell the plugin's author, or raise the timeout.",
};

/** A phase lasts no longer than the limit that ended it; how long the task ran is the limit itself. */
function withinLimit(phase: StopPhase, seconds: number): StopPhase {
  const { kind, durationMs } = phase;
  if (kind === 'running') return { ...phase, durationMs: undefined };
  return durationMs === undefined ? phase : { ...phase, durationMs: Math.min(durationMs, seconds * 1_000) };
}

/** Adds what the task did at that moment. */
function withPhase(text: string, { kind, message, durationMs }: StopPhase, subject: string): string {
  const time = durationMs === undefined || durationMs < 100 ? '' : ` for ${formatWait(durationMs)}`;
  switch (kind) {
    case 'not started':
      return `${text}. ${subject} had not started`;
    case 'waiting':
      return `${text}. ${subject} had waited${time} and never started: ${lowerFirst(message)}`;
    case 'child run':
      return `${text}. ${subject} had waited${time} for ${message}`;
    case 'plugin':
      return `${text}. ${message}`;
    case 'running':
      return time === '' ? text : `${text}. ${subject} had run${time}`;
    default:
      return kind satisfies never;
  }
}

/** "Waiting for cluster x to start" continues a sentence; a name keeps its capital letter. */
function lowerFirst(text: string): string {
  return /^(?:Waiting|Installing)/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
