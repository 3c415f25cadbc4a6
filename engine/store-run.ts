/** Storing a new run: its ids, its admission and its first task runs, inside a launch transaction. */
import { invalid } from './errors.ts';
import { formatOf, tasksOf, type ApiVersion } from './job/job-format.ts';
import type { JobSettings } from './job/settings.ts';
import type { Limits } from './limits.ts';
import { notificationsForEnd } from './notification/routing.ts';
import type { LaunchedRun, LaunchHook, LaunchTransaction } from './ports/runs.ts';
import {
  assertCapacity,
  capacityRefusal,
  decideCapacity,
  type Admission,
  type CapacityUsage,
} from './run/admission.ts';
import { explainConcurrency } from './run/explain/explain-run.ts';
import type { Explanation } from './run/explain/explanation.ts';
import type { NewRun } from './run/new-run.ts';
import type { RunNotification } from './run/notification.ts';
import { countParallelTasks, type ParallelTasks } from './run/parallel-tasks.ts';
import type { RunParameters } from './run/parameters.ts';
import { pendingProgress, type RunType } from './run/run.ts';
import { stepOf } from './run/step.ts';
import { waitingMessage } from './run/waiting-message.ts';

/** Everything that a launch decides before it reserves ids. */
export interface LaunchPlan {
  readonly idempotencyScope: number;
  readonly idempotencyToken: string | undefined;
  /** Returns the job of the run; called once no earlier run has the token. */
  readonly resolveJobId: () => Promise<number>;
  readonly settings: JobSettings;
  /** Set when the settings are those of a stored revision of the job. */
  readonly settingsRevision?: number | undefined;
  readonly parameters: RunParameters;
  readonly creator: string;
  readonly now: number;
  readonly type: RunType;
  readonly name: string;
  readonly version: ApiVersion;
  /** Admission by the limit of the job. */
  readonly admission: Admission;
  /** True when the run may wait in the queue for capacity in the workspace. */
  readonly mayQueue: boolean;
  readonly launchedBy?: number | undefined;
  readonly parentTaskRun?: number | undefined;
  readonly launchHook?: LaunchHook | undefined;
  /** Set for a fire of a schedule. */
  readonly scheduledTime?: number;
}

export interface StorePorts {
  readonly limits: Limits;
  /** The node that drives the run. */
  readonly nodeId: string;
}

export type StoreResult =
  | { readonly kind: 'stored'; readonly run: NewRun }
  /** An earlier launch has used the idempotency token; nothing was stored. */
  | { readonly kind: 'launched before'; readonly run: LaunchedRun };

/**
 * Stores a run that a launch has planned.
 * @throws ServiceError for the token of a deleted run, or a workspace without capacity
 */
export async function storeRun(
  { limits, nodeId }: StorePorts,
  transaction: LaunchTransaction,
  plan: LaunchPlan,
): Promise<StoreResult> {
  const tasks = tasksOf(plan.settings);
  // A single-task run is its own task run: one id for both.
  const isSingleTask = formatOf(plan.settings) === 'SINGLE_TASK';
  const ids = await transaction.reserveRunIds(isSingleTask ? 1 : tasks.length + 1);
  const [runId = 0] = ids;
  const earlier = await claimIdempotencyToken(transaction, plan, runId);
  if (earlier !== undefined) return { kind: 'launched before', run: earlier };
  const jobId = await plan.resolveJobId();
  const numberInJob = await transaction.reserveNumberInJob(jobId);
  const parallelTasks = countParallelTasks(tasks);
  const admission =
    plan.admission.kind === 'start'
      ? await reserveCapacity(transaction, parallelTasks, plan, limits)
      : plan.admission;
  const taskRunIds = isSingleTask ? ids : ids.slice(1);
  const newIds = { runId, jobId, numberInJob, taskRunIds, owner: nodeId };
  const explained = await explainSkip(transaction, admission, jobId);
  const run = createNewRun(plan, explained, parallelTasks, newIds);
  await transaction.insertRun(run);
  await plan.launchHook?.afterInsert(transaction, runId);
  return { kind: 'stored', run };
}

/** Ids of a new run. */
interface NewRunIds {
  readonly runId: number;
  readonly jobId: number;
  readonly numberInJob: number;
  readonly taskRunIds: readonly number[];
  readonly owner: string;
}

/** An admission; that of a run that is skipped has its explanation. */
type ExplainedAdmission =
  | Exclude<Admission, { kind: 'skip' }>
  | { readonly kind: 'skip'; readonly message: string; readonly explanation: Explanation };

/** Active runs that the message of a skipped run names. */
const activeRunsNamed = 3;

/** Explains why a run is skipped, by the runs that are active. */
async function explainSkip(
  transaction: LaunchTransaction,
  admission: Admission,
  jobId: number,
): Promise<ExplainedAdmission> {
  if (admission.kind !== 'skip') return admission;
  const active = await transaction.listActiveRuns(jobId, activeRunsNamed);
  return { kind: 'skip', ...explainConcurrency(admission.message, active) };
}

function createNewRun(
  plan: LaunchPlan,
  admission: ExplainedAdmission,
  parallelTasks: ParallelTasks,
  ids: NewRunIds,
): NewRun {
  const { runId, jobId, numberInJob, taskRunIds, owner } = ids;
  const { settings, parameters, now, scheduledTime } = plan;
  const { state, notifications } = admittedState(plan, admission, ids);
  const skipped = admission.kind === 'skip' ? admission.message : undefined;
  return {
    runId,
    jobId,
    numberInJob,
    owner,
    settings,
    settingsRevision: plan.settingsRevision,
    scheduledTime,
    state,
    notifications,
    format: formatOf(settings),
    version: plan.version,
    name: plan.name,
    type: plan.type,
    creator: plan.creator,
    trigger: scheduledTime === undefined ? 'ONE_TIME' : 'PERIODIC',
    overridingParameters: Object.keys(parameters).length === 0 ? undefined : parameters,
    queueCode: admission.kind === 'queue' ? admission.code : undefined,
    message: admission.kind === 'start' ? '' : admission.message,
    ...(admission.kind === 'skip' && { explanation: admission.explanation }),
    startTime: now,
    originalAttemptRunId: runId,
    attempt: 0,
    launchedBy: plan.launchedBy,
    parentTaskRun: plan.parentTaskRun,
    parallelTasks,
    tasks: tasksOf(settings).map((task, index) => ({
      runId: taskRunIds[index] ?? runId,
      taskKey: task.task_key,
      message: skipped ?? waitingMessage((task.depends_on ?? []).map((dependency) => dependency.task_key)),
    })),
  };
}

/**
 * Returns the state that admission gives to a run. A skipped run is a PENDING one that was skipped at once.
 */
function admittedState(
  { settings, now }: LaunchPlan,
  admission: ExplainedAdmission,
  { runId, jobId }: NewRunIds,
): Pick<NewRun, 'state'> & { readonly notifications: readonly RunNotification[] } {
  switch (admission.kind) {
    case 'start':
      return { state: 'PENDING', notifications: [] };
    case 'queue':
      return { state: 'QUEUED', notifications: [] };
    case 'skip': {
      const progress = pendingProgress(now, '');
      const subject = { kind: 'run', runId, fence: 1, progress } as const;
      const step = stepOf(subject, 'skip', now, {
        message: admission.message,
        explanation: admission.explanation,
      });
      if (step.progress.state !== 'SKIPPED') throw new Error('The event skip does not lead to SKIPPED.');
      const notifications =
        step.notification === 'end'
          ? notificationsForEnd(settings, step.progress, { jobId, runId, now })
          : [];
      return { state: step.progress.state, notifications };
    }
    default:
      return admission satisfies never;
  }
}

/**
 * Decides about a run by the capacity of the workspace. A scheduled run that is refused is skipped: no client
 * would repeat the request.
 * @throws ServiceError REQUEST_LIMIT_EXCEEDED when the run may not wait
 */
export async function reserveCapacity(
  transaction: LaunchTransaction,
  added: ParallelTasks,
  { mayQueue, scheduledTime }: Pick<LaunchPlan, 'mayQueue'> & { readonly scheduledTime?: number | undefined },
  limits: Limits,
): Promise<Admission> {
  const usage = await capacityUsageOf(transaction, added, limits);
  const refusal = scheduledTime === undefined ? undefined : capacityRefusal(usage, limits, mayQueue);
  if (refusal !== undefined) return { kind: 'skip', message: refusal };
  assertCapacity(usage, limits, mayQueue);
  return mayQueue ? decideCapacity(usage, limits) : { kind: 'start' };
}

/**
 * Counts the active task runs of the workspace and those that a run adds. No other launch takes the capacity
 * until the transaction ends.
 */
export async function capacityUsageOf(
  transaction: LaunchTransaction,
  { taskRuns: addedTaskRuns, runJobTasks: addedRunJobTasks }: ParallelTasks,
  limits: Limits,
): Promise<CapacityUsage> {
  const load = await transaction.countActiveTaskRuns(
    addedTaskRuns,
    limits.concurrentTaskRuns,
    addedRunJobTasks > 0,
  );
  return { ...load, addedTaskRuns, addedRunJobTasks };
}

/** Returns the earlier run of the token, if there is one. */
async function claimIdempotencyToken(
  transaction: LaunchTransaction,
  { idempotencyScope, idempotencyToken: token }: LaunchPlan,
  runId: number,
): Promise<LaunchedRun | undefined> {
  if (token === undefined || token === '') return undefined;
  const claim = await transaction.claimIdempotencyToken(idempotencyScope, token, runId);
  if (claim === 'claimed') return undefined;
  if (claim.deleted)
    throw invalid(
      `The run started with idempotency_token "${token}" has been deleted. Use a new token to run the job again.`,
    );
  return claim;
}
