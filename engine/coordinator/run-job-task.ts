/**
 * run_job_task: runs another job without a process or a thread. Each attempt has one child run, also across
 * restarts of the engine; a cancel of the task cancels it, and its end is the end of the task (spec 2.7).
 */
import { messageOf, ServiceError } from '../errors.ts';
import { hasPermission } from '../job/permissions.ts';
import { launchRun } from '../launch.ts';
import { stopEnd, type AttemptEnd } from '../run/attempt-end.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import { childFailureOf, childParametersOf, nestingError } from '../run/run-job-rules.ts';
import type { Run } from '../run/run.ts';
import { runPageUrl } from '../run/workspace-info.ts';
import { findAncestorJobs } from './ancestors.ts';
import { awaitRun, type AwaitContext } from './await-run.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { describeTaskStop } from './describe-stop.ts';
import type { RunExecution } from './run-execution.ts';
import { enterExecution, leaveExecution, setWaitsFor, type TaskExecution } from './task-execution.ts';

export type RunJobContext = AwaitContext &
  Pick<CoordinatorContext, 'limits' | 'launchPorts' | 'permissions' | 'workspace'>;

/**
 * Runs the job that a task names to its end.
 * @param body the value of `run_job_task`, references resolved
 */
export async function runJobTask(
  c: RunJobContext,
  execution: RunExecution,
  task: TaskExecution,
  body: Readonly<Record<string, unknown>>,
): Promise<AttemptEnd | OwnershipLost> {
  const jobId = Number(body['job_id']);
  const started = await startJobRun(c, execution, task, jobId, body);
  if (typeof started !== 'number') return started;
  const stop = new AbortController();
  setWaitsFor(task, `run ${started} of job ${jobId}`);
  enterExecution(task, { stop: () => stop.abort() });
  const latest = await awaitRun(c, execution, task, started, stop.signal);
  if (latest === ownershipLost) return latest;
  leaveExecution(task);
  return latest === undefined
    ? failedAttempt(`Run ${started} of job ${jobId} was deleted before it was over.`)
    : attemptEndOf(c, execution, task, latest);
}

/** Returns the id of the attempt's child run, started now unless an earlier engine has started it. */
async function startJobRun(
  c: RunJobContext,
  execution: RunExecution,
  task: TaskExecution,
  jobId: number,
  body: Readonly<Record<string, unknown>>,
): Promise<number | AttemptEnd> {
  const { run } = execution;
  const { taskRun, stopReason } = task;
  const { runJobDepth } = c.limits;
  const earlier = await c.runs.findLaunchedRun(taskRun.runId);
  if (earlier !== undefined) return earlier.runId;
  if (stopReason !== undefined) return stopEnd(await describeTaskStop(c, execution, task, stopReason));
  const refusal =
    nestingError(await findAncestorJobs(c, run, runJobDepth), jobId, runJobDepth) ??
    (await findPermissionError(c, run, jobId));
  if (refusal !== undefined) return failedAttempt(refusal);
  try {
    const { runId } = await launchRun(
      c.launchPorts,
      {
        jobId,
        parameters: childParametersOf(body),
        idempotencyToken: undefined,
        creator: run.creatorUserName ?? '',
        launchedBy: taskRun.runId,
      },
      { onOutage: 'retry' },
    );
    return runId;
  } catch (error) {
    if (error instanceof ServiceError)
      return failedAttempt(`Job ${jobId} could not be started: ${messageOf(error)}`);
    throw error;
  }
}

function failedAttempt(message: string): AttemptEnd {
  return { kind: 'finish', result: 'FAILED', failure: { kind: 'message', message } };
}

/** With job access control, the owner of the run's job needs permission to run the other job. */
async function findPermissionError(
  { permissions }: Pick<RunJobContext, 'permissions'>,
  { jobId: parentJobId, creatorUserName }: Run,
  jobId: number,
): Promise<string | undefined> {
  if (permissions === undefined) return undefined;
  const userName = (await permissions.listOwners([parentJobId])).get(parentJobId) ?? creatorUserName ?? '';
  const held = await permissions.findLevels('job_id', jobId, userName);
  if (
    held === undefined ||
    hasPermission(held.levels, 'CAN_MANAGE_RUN') ||
    (await permissions.isAdmin(userName))
  )
    return undefined;
  return `User ${userName}, as whom this job runs, may not run job ${jobId}: CAN_MANAGE_RUN on it is needed.`;
}

async function attemptEndOf(
  c: RunJobContext,
  execution: RunExecution,
  task: TaskExecution,
  child: Run,
): Promise<AttemptEnd> {
  const failure = childFailureOf(child, runPageUrl(c.workspace, child.jobId, child.runId));
  if (failure === undefined) return { kind: 'finish', result: 'SUCCESS' };
  const { stopReason } = task;
  if (stopReason !== undefined) return stopEnd(await describeTaskStop(c, execution, task, stopReason));
  const { state, result } = child.progress;
  // A child run that was skipped or broke fails the task; the service has not failed the task itself.
  return {
    kind: 'finish',
    result: state === 'TERMINATED' && result !== undefined ? result : 'FAILED',
    failure,
  };
}
