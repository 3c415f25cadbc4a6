/** Entry point of repairs: a run that is over runs again, in one transaction. */
import { invalid, runNotFound, ServiceError } from './errors.ts';
import { tasksOf } from './job/job-format.ts';
import { decideJobAdmission, isQueueEnabled, type LaunchPorts } from './launch.ts';
import type { Limits } from './limits.ts';
import type { Job } from './ports/jobs.ts';
import type { LaunchTransaction } from './ports/runs.ts';
import { maxConcurrentRunsOf, type QueueDecision } from './run/admission.ts';
import { countParallelTasks, type ParallelTasks } from './run/parallel-tasks.ts';
import { checkRunNowParameters, type RunParameters } from './run/parameters.ts';
import {
  checkRepairable,
  createRepair,
  settingsForRepair,
  tasksToRerun,
  type RepairSelection,
} from './run/repair.ts';
import { reserveCapacity } from './store-run.ts';

export interface RepairRunRequest extends RepairSelection {
  readonly runId: number;
  readonly parameters: RunParameters;
  /** True: the tasks keep the settings of the run. False: they run with the current settings of the job. */
  readonly useOriginalSettings?: boolean | undefined;
  /** True when the run may wait in the queue; undefined leaves it to the job. */
  readonly queue?: boolean | undefined;
}

/**
 * Runs tasks of a run again, inside the same run. Of concurrent repairs one succeeds; the others are refused.
 * @returns the id of the repair
 * @throws ServiceError for an unknown run, one that cannot be repaired now, or a request that breaks a rule
 */
export async function repairRun(ports: LaunchPorts, request: RepairRunRequest): Promise<number> {
  const { runId, parameters, useOriginalSettings = false } = request;
  const { limits } = ports;
  const jobId = await findRepairableJobId(ports, runId);
  const { repair, tasks } = await ports.runs.launchTransaction(async (transaction) => {
    // All code locks the job before its run. The hidden job of a submission has no other run and no lock.
    const job = await transaction.lockJob(jobId);
    const found = await transaction.lockRun(runId);
    if (found === undefined) throw runNotFound(runId);
    const { run } = found;
    checkRepairable(run, request);
    const keys = tasksToRerun(found, request);
    const settings =
      job === undefined || useOriginalSettings ? run.settings : settingsForRepair(run, job.settings, keys);
    checkRunNowParameters(parameters, settings, limits);
    const mayQueue = request.queue ?? isQueueEnabled(job?.settings ?? settings, job?.version ?? run.version);
    const parallelTasks = countParallelTasks(
      tasksOf(settings).filter((task) => keys.includes(task.task_key)),
    );
    const admission = await admitRepair(transaction, { runId, job, mayQueue, parallelTasks, limits });
    const [repairId = 0, ...taskRunIds] = await transaction.reserveRunIds(keys.length + 1);
    const now = ports.clock.now();
    const ids = { repairId, taskRunIds, owner: ports.nodeId, now };
    const created = createRepair(found, { keys, parameters, settings, parallelTasks, admission, ...ids });
    await transaction.insertRepair(created);
    return { repair: created, tasks: found.tasks };
  });
  if (repair.queueCode === undefined)
    ports.acceptRun({ run: repair.after, tasks: [...tasks, ...repair.attempts] });
  return repair.after.repair.repairId;
}

/** Returns the job of a run. @throws ServiceError for the id of a task run, and for a run that was retried */
async function findRepairableJobId({ runs }: LaunchPorts, runId: number): Promise<number> {
  const found = await runs.find(runId);
  if (found === undefined) throw runNotFound(runId);
  const { run } = found;
  if (run.runId !== runId)
    throw invalid(
      `Run ${runId} is a task run of run ${run.runId}; only the whole run can be repaired: name its tasks in rerun_tasks.`,
    );
  const latest = run.format === 'SINGLE_TASK' ? await runs.findLatestAttempt(run.originalAttemptRunId) : run;
  if (latest !== undefined && latest.runId !== runId)
    throw new ServiceError(
      'INVALID_STATE',
      `Run ${runId} was retried as run ${latest.runId}; repair that run instead.`,
    );
  return run.jobId;
}

interface RepairAdmission {
  readonly runId: number;
  /** Undefined for a submission, whose hidden job has no limit. */
  readonly job: Job | undefined;
  readonly mayQueue: boolean;
  readonly parallelTasks: ParallelTasks;
  readonly limits: Limits;
}

/**
 * Decides whether the run starts or queues.
 * @throws ServiceError where a new run would be skipped or refused: the run stays as it is
 */
async function admitRepair(
  transaction: LaunchTransaction,
  { runId, job, mayQueue, parallelTasks, limits }: RepairAdmission,
): Promise<{ readonly kind: 'start' } | QueueDecision> {
  const decision =
    job === undefined ? { kind: 'start' as const } : await decideJobAdmission(transaction, job, mayQueue);
  if (decision.kind === 'queue') return decision;
  if (decision.kind === 'skip' && job !== undefined) {
    const { active, queued } = await transaction.countRuns(job.jobId);
    throw new ServiceError(
      'INVALID_STATE',
      `Run ${runId} cannot be repaired now: job ${job.jobId} has ${active + queued} active runs, and its max_concurrent_runs is ${maxConcurrentRunsOf(job.settings)}.`,
    );
  }
  const plan = { mayQueue, scheduledTime: undefined };
  const admission = await reserveCapacity(transaction, parallelTasks, plan, limits);
  // Only a scheduled run is skipped for want of capacity.
  return admission.kind === 'skip' ? { kind: 'start' } : admission;
}
