/**
 * Status of a run, which current clients read in addition to its state: a word, and the reason of its end.
 */
import type { CauseCode } from './explain/explanation.ts';
import type { Progress } from './run.ts';
import type { LifeCycleState, ResultState } from './states.ts';

export const statusStates = ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED'] as const;
type StatusState = (typeof statusStates)[number];

/** Termination codes in use, a subset of those that clients know. */
export const terminationCodes = [
  'SUCCESS',
  'USER_CANCELED',
  'CANCELED',
  'SKIPPED',
  'MAX_CONCURRENT_RUNS_EXCEEDED',
  'RUN_EXECUTION_ERROR',
  'RESOURCE_NOT_FOUND',
  'LIBRARY_INSTALLATION_ERROR',
  'CLUSTER_ERROR',
  'STORAGE_ACCESS_ERROR',
  'INTERNAL_ERROR',
] as const;
type TerminationCode = (typeof terminationCodes)[number];

export const terminationTypes = ['SUCCESS', 'CLIENT_ERROR', 'INTERNAL_ERROR'] as const;
type TerminationType = (typeof terminationTypes)[number];

export const queueCodes = [
  'ACTIVE_RUNS_LIMIT_REACHED',
  'MAX_CONCURRENT_RUNS_REACHED',
  'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED',
] as const;
export type QueueCode = (typeof queueCodes)[number];

/** Status of a run or task run; field names are those of the wire. */
export interface RunStatus {
  readonly state: StatusState;
  /** Reason for waiting in the queue. */
  readonly queue_details?: { readonly code: QueueCode; readonly message: string };
  /** Reason of its end. */
  readonly termination_details?: {
    readonly code: TerminationCode;
    readonly type: TerminationType;
    readonly message: string;
    /** Stable code of the cause; absent for a success, and for runs of earlier versions. */
    readonly cause_code?: CauseCode;
  };
}

const statusStateOf: Readonly<Record<LifeCycleState, StatusState>> = {
  QUEUED: 'QUEUED',
  PENDING: 'PENDING',
  RUNNING: 'RUNNING',
  TERMINATING: 'TERMINATING',
  TERMINATED: 'TERMINATED',
  SKIPPED: 'TERMINATED',
  INTERNAL_ERROR: 'TERMINATED',
};

interface Termination {
  readonly code: TerminationCode;
  readonly type: TerminationType;
}

/** Name, and other names for runs whose message matches. */
interface NameRule<Name> {
  readonly name: Name;
  readonly unless?: readonly { readonly message: RegExp; readonly name: Name }[];
}

const cancelledByParent = {
  message: /^Run cancelled by its parent/,
  name: { code: 'CANCELED', type: 'CLIENT_ERROR' },
} as const;

/** End of a run -> termination. A cancelled run is never a success. */
const terminationRules: Readonly<Record<ResultState | 'SKIPPED' | 'INTERNAL_ERROR', NameRule<Termination>>> =
  {
    SUCCESS: { name: { code: 'SUCCESS', type: 'SUCCESS' } },
    FAILED: {
      name: { code: 'RUN_EXECUTION_ERROR', type: 'CLIENT_ERROR' },
      unless: [
        {
          message: /^(Notebook|File) .* was not found/s,
          name: { code: 'RESOURCE_NOT_FOUND', type: 'CLIENT_ERROR' },
        },
        {
          message: /^Library installation failed/,
          name: { code: 'LIBRARY_INSTALLATION_ERROR', type: 'CLIENT_ERROR' },
        },
        { message: /^Init script/i, name: { code: 'CLUSTER_ERROR', type: 'CLIENT_ERROR' } },
      ],
    },
    CANCELED: { name: { code: 'USER_CANCELED', type: 'CLIENT_ERROR' }, unless: [cancelledByParent] },
    // Clients define this code as "canceled by the platform, for example because of the maximum duration".
    TIMEDOUT: { name: { code: 'CANCELED', type: 'CLIENT_ERROR' } },
    SKIPPED: {
      // A run whose condition is not met is skipped as intended.
      name: { code: 'SKIPPED', type: 'SUCCESS' },
      unless: [
        {
          message: /^Skipping this run because the limit of/,
          name: { code: 'MAX_CONCURRENT_RUNS_EXCEEDED', type: 'CLIENT_ERROR' },
        },
        { message: /^Upstream task/, name: { code: 'SKIPPED', type: 'CLIENT_ERROR' } },
        { message: /^Run cancelled by user/, name: { code: 'USER_CANCELED', type: 'CLIENT_ERROR' } },
        { message: /^Run timed out/, name: { code: 'CANCELED', type: 'CLIENT_ERROR' } },
        cancelledByParent,
      ],
    },
    INTERNAL_ERROR: { name: { code: 'INTERNAL_ERROR', type: 'INTERNAL_ERROR' } },
  };

/** Limit for which a queued run waits: the limit of its job, unless its message names another. */
const queueCodeRule: NameRule<QueueCode> = {
  name: 'MAX_CONCURRENT_RUNS_REACHED',
  unless: [
    { message: /active runs/, name: 'ACTIVE_RUNS_LIMIT_REACHED' },
    { message: /run_job_task/, name: 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED' },
  ],
};

/** Returns the status of a run or task run. */
export function statusOf(progress: Progress): RunStatus {
  const { state, message } = progress;
  if (state === 'QUEUED') return { state, queue_details: { code: nameFor(queueCodeRule, message), message } };
  const ending = state === 'SKIPPED' || state === 'INTERNAL_ERROR' ? state : progress.result;
  if (ending === undefined) return { state: statusStateOf[state] };
  return {
    state: statusStateOf[state],
    termination_details: {
      ...terminationOf(ending, progress),
      message,
      ...(progress.explanation && { cause_code: progress.explanation.cause_code }),
    },
  };
}

/** Cause codes of failed runs that have a termination code of their own. */
const terminationOfCause: Partial<Record<CauseCode, Termination>> = {
  DEPENDENCY: { code: 'LIBRARY_INSTALLATION_ERROR', type: 'CLIENT_ERROR' },
  CLUSTER: { code: 'CLUSTER_ERROR', type: 'CLIENT_ERROR' },
  STORAGE: { code: 'STORAGE_ACCESS_ERROR', type: 'INTERNAL_ERROR' },
};

/** Returns the termination of an end: of a failed run by its cause, of all others by its end. */
function terminationOf(
  ending: ResultState | 'SKIPPED' | 'INTERNAL_ERROR',
  { message, explanation }: Progress,
): Termination {
  const found = nameFor(terminationRules[ending], message);
  if (ending !== 'FAILED' || explanation === undefined) return found;
  const { cause_code: causeCode, cause } = explanation;
  // A module that the code imports is missing, but no installation failed.
  if (causeCode === 'DEPENDENCY' && !cause.startsWith('Library installation failed')) return found;
  return terminationOfCause[causeCode] ?? found;
}

function nameFor<Name>({ name, unless = [] }: NameRule<Name>, message: string): Name {
  return unless.find((row) => row.message.test(message))?.name ?? name;
}
