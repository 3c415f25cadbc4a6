/** Entry point of repairs: a run that is over runs again, in one transaction. */
import { invalid, runNotFound, ServiceError } from './errors.ts';
import { tasksOf } from './job/job-format.ts';
import type { LaunchPorts } from './launch.ts';
import type { Job } from './ports/jobs.ts';
import type { LaunchTransaction } from './ports/runs.ts';
import { assertCapacity, decideAdmission, maxConcurrentRunsOf } from './run/admission.ts';
import { checkRunNowParameters, type RunParameters } from './run/parameters.ts';
import { checkRepairable, createRepair, tasksToRerun, type RepairSelection } from './run/repair.ts';
import type { RunWithTasks } from './run/run.ts';
import { capacityUsageOf } from './store-run.ts';

export interface RepairRunRequest extends RepairSelection {
  readonly runId: number;
  readonly parameters: RunParameters;
}

/**
 * Runs tasks of a multi-task run again, inside the same run. Of concurrent repairs one succeeds; the others
 * are refused.
 * @returns the id of the repair
 * @throws ServiceError for an unknown run, one that cannot be repaired now, or a request that breaks a rule
 */
export async function repairRun(ports: LaunchPorts, request: RepairRunRequest): Promise<number> {
  const { runId, parameters } = request;
  const jobId = repairableJobIdOf(await ports.runs.find(runId), runId);
  const repaired = await ports.runs.launchTransaction(async (transaction) => {
    // All code locks the job before its run. The hidden job of a submission has no other run and no lock.
    const job = await transaction.lockJob(jobId);
    const found = await transaction.lockRun(runId);
    if (found === undefined) throw runNotFound(runId);
    checkRepairable(found.run, request);
    const keys = tasksToRerun(found, request);
    checkRunNowParameters(parameters, found.run.settings, ports.limits);
    if (job !== undefined) await assertAdmissible(transaction, job, runId);
    const tasks = tasksOf(found.run.settings).filter((task) => keys.includes(task.task_key));
    assertCapacity(await capacityUsageOf(transaction, tasks, ports.limits), ports.limits, false);
    const [repairId = 0, ...taskRunIds] = await transaction.reserveRunIds(keys.length + 1);
    const repair = createRepair(found, {
      keys,
      parameters,
      repairId,
      taskRunIds,
      owner: ports.nodeId,
      now: ports.clock.now(),
    });
    await transaction.insertRepair(repair);
    return { run: repair.after, tasks: [...found.tasks, ...repair.attempts] };
  });
  ports.acceptRun(repaired);
  return repaired.run.repair.repairId;
}

/** Returns the job of a multi-task run. @throws ServiceError for every other id */
function repairableJobIdOf(found: RunWithTasks | undefined, runId: number): number {
  if (found === undefined) throw runNotFound(runId);
  const { run } = found;
  if (run.runId !== runId)
    throw invalid(
      `Run ${runId} is a task run of run ${run.runId}; only the whole run can be repaired: name its tasks in rerun_tasks.`,
    );
  if (run.format === 'SINGLE_TASK')
    throw invalid(
      `Run ${runId} has a single task; only runs with multiple tasks can be repaired. Start a new run with jobs/run-now.`,
    );
  return run.jobId;
}

/** A new run over the limit would be skipped; a repair is refused, and the run stays as it is. */
async function assertAdmissible(
  transaction: LaunchTransaction,
  { jobId, settings }: Job,
  runId: number,
): Promise<void> {
  const { active: activeRuns, queued: queuedRuns } = await transaction.countRuns(jobId);
  const maxConcurrentRuns = maxConcurrentRunsOf(settings);
  if (decideAdmission({ activeRuns, queuedRuns, maxConcurrentRuns, mayQueue: false }).kind === 'start')
    return;
  throw new ServiceError(
    'INVALID_STATE',
    `Run ${runId} cannot be repaired now: job ${jobId} has ${activeRuns + queuedRuns} active runs, and its max_concurrent_runs is ${maxConcurrentRuns}.`,
  );
}
