/** Admission: whether a new run starts, queues, or is skipped (spec 2.2 max_concurrent_runs, 3.1, 7, 8). */
import { ServiceError } from '../errors.ts';
import type { JobSettings } from '../job/settings.ts';
import { fixedLimits, type Limits } from '../limits.ts';
import type { QueueCode } from './run-status.ts';

export interface AdmissionFacts {
  /** Runs of the job that are active and do not wait in the queue, counted under the job's lock. */
  readonly activeRuns: number;
  /** Runs of the job that wait in the queue: first in, first out. */
  readonly queuedRuns: number;
  /** The job's max_concurrent_runs; 0 makes every new run skipped. */
  readonly maxConcurrentRuns: number;
  /** True when queuing is enabled for the run. */
  readonly mayQueue: boolean;
}

/** The run waits until a limit clears. */
export interface QueueDecision {
  readonly kind: 'queue';
  readonly code: QueueCode;
  /** Its state_message while it waits. */
  readonly message: string;
}

export type Admission =
  | { readonly kind: 'start' }
  | QueueDecision
  /** Ends at once as SKIPPED, without preparing resources. */
  | { readonly kind: 'skip'; readonly message: string };

/** Returns the max_concurrent_runs of a job, 1 by default (spec 2.2). */
export function maxConcurrentRunsOf({ max_concurrent_runs: max = 1 }: JobSettings): number {
  return max;
}

/** Decides about a new run by the limit of its job. */
export function decideAdmission({
  activeRuns,
  queuedRuns,
  maxConcurrentRuns: limit,
  mayQueue,
}: AdmissionFacts): Admission {
  if (limit === 0 || !mayQueue) {
    if (activeRuns + queuedRuns < limit) return { kind: 'start' };
    return skipForJobLimit(limit);
  }
  if (activeRuns >= limit) return queueForJobLimit(limit);
  // First in, first out: earlier runs wait for capacity in the workspace.
  return queuedRuns > 0
    ? {
        kind: 'queue',
        code: 'ACTIVE_RUNS_LIMIT_REACHED',
        message:
          'Waiting in the queue behind earlier runs of this job, which wait for fewer active runs in the workspace.',
      }
    : { kind: 'start' };
}

/** Returns the decision for a run whose job has reached its limit, and that may not wait. */
export function skipForJobLimit(limit: number): { readonly kind: 'skip'; readonly message: string } {
  return {
    kind: 'skip',
    message: `Skipping this run because the limit of ${limit} maximum concurrent runs has been reached.`,
  };
}

/** Returns the decision for a run that waits until its job is below its limit. */
export function queueForJobLimit(limit: number): QueueDecision {
  return {
    kind: 'queue',
    code: 'MAX_CONCURRENT_RUNS_REACHED',
    message: `Waiting in the queue: the job has reached its limit of ${limit} maximum concurrent runs.`,
  };
}

/** Usage of the workspace's limits, and what a run would add. */
export interface CapacityUsage {
  /** Task runs that can be active at the same time, counted so that no other launch takes the same capacity. */
  readonly taskRuns: number;
  /** run_job_tasks among them. */
  readonly runJobTasks: number;
  readonly addedTaskRuns: number;
  readonly addedRunJobTasks: number;
  /** True when another run waits in the queue for capacity. */
  readonly hasWaitingRuns: boolean;
}

type CapacityLimits = Pick<Limits, 'concurrentTaskRuns' | 'concurrentRunJobTasks'>;

/** Decides about a run by the capacity of the workspace. */
export function decideCapacity(
  facts: CapacityUsage,
  { concurrentTaskRuns: maxTaskRuns, concurrentRunJobTasks: maxRunJobTasks }: CapacityLimits,
): { readonly kind: 'start' } | QueueDecision {
  if (facts.hasWaitingRuns || facts.taskRuns + facts.addedTaskRuns > maxTaskRuns) {
    return {
      kind: 'queue',
      code: 'ACTIVE_RUNS_LIMIT_REACHED',
      message: `Waiting in the queue: the workspace has ${facts.taskRuns} active runs of tasks (limit: ${maxTaskRuns})${addedRunsText(facts.addedTaskRuns)}.`,
    };
  }
  if (facts.addedRunJobTasks > 0 && facts.runJobTasks + facts.addedRunJobTasks > maxRunJobTasks) {
    return {
      kind: 'queue',
      code: 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED',
      message: `Waiting in the queue: the workspace runs ${facts.runJobTasks} tasks of the kind run_job_task (limit: ${maxRunJobTasks})${addedRunsText(facts.addedRunJobTasks)}.`,
    };
  }
  return { kind: 'start' };
}

function addedRunsText(added: number): string {
  return added === 1 ? '' : `, and this run would add ${added}`;
}

/**
 * Returns why a run is refused that may not queue, or that can have more active tasks than the limit (spec 7,
 * 8); undefined when there is capacity. Runs in the queue do not count.
 */
export function capacityRefusal(
  facts: CapacityUsage,
  limits: CapacityLimits,
  mayQueue: boolean,
): string | undefined {
  const { concurrentTaskRuns: maxTaskRuns, concurrentRunJobTasks: maxRunJobTasks } = limits;
  const { taskRuns, runJobTasks, addedTaskRuns: added, addedRunJobTasks: addedRunJob } = facts;
  if (mayQueue && added <= maxTaskRuns && addedRunJob <= maxRunJobTasks) return undefined;
  if (added > maxTaskRuns)
    return `This run has ${added} tasks that can be active at the same time; the workspace allows ${maxTaskRuns}.`;
  if (addedRunJob > maxRunJobTasks)
    return `This run has ${addedRunJob} tasks of the kind run_job_task that can be active at the same time; the workspace allows ${maxRunJobTasks}.`;
  // Clients know the first sentence; the second one explains the refusal of a run with several tasks.
  const more = (count: number): string => (count === 1 ? '' : ` This run would add ${count}.`);
  if (taskRuns + added > maxTaskRuns)
    return `There are already ${taskRuns} active runs (limit: ${maxTaskRuns}).${more(added)}`;
  if (addedRunJob > 0 && runJobTasks + addedRunJob > maxRunJobTasks) {
    return `There are already ${runJobTasks} active tasks of the kind run_job_task (limit: ${maxRunJobTasks}).${more(addedRunJob)}`;
  }
  return undefined;
}

/**
 * @throws ServiceError when `capacityRefusal` has a reason: QUOTA_EXCEEDED for a run that never fits, otherwise
 *   REQUEST_LIMIT_EXCEEDED with Retry-After
 */
export function assertCapacity(facts: CapacityUsage, limits: CapacityLimits, mayQueue: boolean): void {
  const refusal = capacityRefusal(facts, limits, mayQueue);
  if (refusal === undefined) return;
  const fits =
    facts.addedTaskRuns <= limits.concurrentTaskRuns &&
    facts.addedRunJobTasks <= limits.concurrentRunJobTasks;
  throw fits
    ? new ServiceError(
        'REQUEST_LIMIT_EXCEEDED',
        `${refusal} The active task runs of all jobs count. Retry in ${fixedLimits.admissionRetrySeconds} s, or set queue.enabled.`,
        fixedLimits.admissionRetrySeconds,
      )
    : new ServiceError('QUOTA_EXCEEDED', refusal);
}
