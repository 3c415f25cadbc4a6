/** The newer description of where a run stands, which current clients read beside its state: a word, and why it ended. */
import type { Progress } from './run.ts';
import type { LifeCycleState, ResultState } from './states.ts';

export const statusStates = ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED'] as const;
type StatusState = (typeof statusStates)[number];

/** The codes that we use, out of those that clients know. */
export const terminationCodes = [
  'SUCCESS', 'USER_CANCELED', 'CANCELED', 'SKIPPED', 'MAX_CONCURRENT_RUNS_EXCEEDED', 'RUN_EXECUTION_ERROR', 'RESOURCE_NOT_FOUND',
  'LIBRARY_INSTALLATION_ERROR', 'CLUSTER_ERROR', 'INTERNAL_ERROR',
] as const;
type TerminationCode = (typeof terminationCodes)[number];

export const terminationTypes = ['SUCCESS', 'CLIENT_ERROR', 'INTERNAL_ERROR'] as const;
type TerminationType = (typeof terminationTypes)[number];

export const queueCodes = ['ACTIVE_RUNS_LIMIT_REACHED', 'MAX_CONCURRENT_RUNS_REACHED', 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED'] as const;
type QueueCode = (typeof queueCodes)[number];

/** Where a run or task run stands; the names are those of the wire. */
export interface RunStatus {
  readonly state: StatusState;
  /** Why it waits in the queue. */
  readonly queue_details?: { readonly code: QueueCode; readonly message: string };
  /** Why it ended or is ending. */
  readonly termination_details?: { readonly code: TerminationCode; readonly type: TerminationType; readonly message: string };
}

const stateOf: Readonly<Record<LifeCycleState, StatusState>> = {
  QUEUED: 'QUEUED', PENDING: 'PENDING', RUNNING: 'RUNNING', TERMINATING: 'TERMINATING',
  TERMINATED: 'TERMINATED', SKIPPED: 'TERMINATED', INTERNAL_ERROR: 'TERMINATED',
};

/** What an end is called. Rows with a message count for messages that it fits. */
interface Termination {
  readonly message?: RegExp;
  readonly code: TerminationCode;
  readonly type: TerminationType;
}

/** How it ended -> what that is called: the first row that fits. A cancelled run is never called a success. */
const terminations: Readonly<Record<ResultState | 'SKIPPED' | 'INTERNAL_ERROR', readonly [...Termination[], Termination]>> = {
  SUCCESS: [{ code: 'SUCCESS', type: 'SUCCESS' }],
  FAILED: [
    { message: /^(Notebook|File) .* was not found/s, code: 'RESOURCE_NOT_FOUND', type: 'CLIENT_ERROR' },
    { message: /^Library installation failed/, code: 'LIBRARY_INSTALLATION_ERROR', type: 'CLIENT_ERROR' },
    { message: /^Init script/i, code: 'CLUSTER_ERROR', type: 'CLIENT_ERROR' },
    { code: 'RUN_EXECUTION_ERROR', type: 'CLIENT_ERROR' },
  ],
  CANCELED: [{ code: 'USER_CANCELED', type: 'CLIENT_ERROR' }],
  // "Canceled by the platform, for example because of its maximum duration": the word clients know for it.
  TIMEDOUT: [{ code: 'CANCELED', type: 'CLIENT_ERROR' }],
  SKIPPED: [
    { message: /^Skipping this run because the limit of/, code: 'MAX_CONCURRENT_RUNS_EXCEEDED', type: 'CLIENT_ERROR' },
    { message: /^Run cancelled by user/, code: 'USER_CANCELED', type: 'CLIENT_ERROR' },
    { message: /^Run timed out/, code: 'CANCELED', type: 'CLIENT_ERROR' },
    { message: /^Upstream task/, code: 'SKIPPED', type: 'CLIENT_ERROR' },
    // Its condition was not met: that is how it was meant.
    { code: 'SKIPPED', type: 'SUCCESS' },
  ],
  INTERNAL_ERROR: [{ code: 'INTERNAL_ERROR', type: 'INTERNAL_ERROR' }],
};

/** Why a run waits in the queue: the limit of its job, unless its message says that it is the one of the service. */
const queues: readonly [...{ message?: RegExp; code: QueueCode }[], { message?: RegExp; code: QueueCode }] = [
  { message: /active runs/, code: 'ACTIVE_RUNS_LIMIT_REACHED' },
  { message: /run_job_task/, code: 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED' },
  { code: 'MAX_CONCURRENT_RUNS_REACHED' },
];

/** The status of a run or task run, in the shape of the wire. */
export function statusOf(progress: Progress): RunStatus {
  const { state, message } = progress;
  if (state === 'QUEUED') return { state, queue_details: { code: firstFor(queues, message).code, message } };
  const ending = state === 'SKIPPED' || state === 'INTERNAL_ERROR' ? state : progress.result;
  if (ending === undefined) return { state: stateOf[state] };
  const { code, type } = firstFor(terminations[ending], message);
  return { state: stateOf[state], termination_details: { code, type, message } };
}

function firstFor<Row extends { readonly message?: RegExp }>(rows: readonly [...Row[], Row], message: string): Row {
  return rows.find((row) => row.message?.test(message) ?? true) ?? rows[0];
}
