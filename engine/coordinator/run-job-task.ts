/**
 * A run_job_task: starts a run of another job and waits for it, without a process or a thread. Its attempt
 * has one run, however often engines are killed in between; it is cancelled with its task, and its end is the
 * end of the task (spec 2.7).
 */
import { messageOf, ServiceError } from '../errors.ts';
import { hasPermission } from '../job/permissions.ts';
import { launchRun } from '../launch.ts';
import { stopMessage } from '../run/roll-up.ts';
import { decideAttemptEnd, type AttemptEnd } from '../run/attempt-end.ts';
import { taskEndOf, nestingError, childParametersOf } from '../run/run-job-rules.ts';
import type { Run } from '../run/run.ts';
import { resultOfStop } from '../run/states.ts';
import type { RunExecution, TaskExecution } from './run-execution.ts';
import { findAncestorJobs } from './ancestors.ts';
import { awaitRun } from './await-run.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/**
 * Runs the job that a task names to its end.
 * @param body the value of `run_job_task`, references resolved
 */
export async function runJobTask(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  body: Readonly<Record<string, unknown>>,
): Promise<AttemptEnd> {
  const jobId = Number(body['job_id']);
  const started = await startJobRun(c, active, task, jobId, body);
  if (typeof started !== 'number') return started;
  const stop = new AbortController();
  task.interruptWait = () => stop.abort();
  if (task.stopReason !== undefined) stop.abort();
  const latest = await awaitRun(c, active, started, stop.signal);
  task.interruptWait = undefined;
  return latest === undefined
    ? failedAttempt(`Run ${started} of job ${jobId} was deleted before it was over.`)
    : attemptEndOf(task, latest);
}

/** The run of the attempt, started now unless an earlier engine has; an end when it cannot be started. */
async function startJobRun(
  c: CoordinatorContext,
  active: RunExecution,
  { taskRun, stopReason }: TaskExecution,
  jobId: number,
  body: Readonly<Record<string, unknown>>,
): Promise<number | AttemptEnd> {
  const earlier = await c.runs.findLaunchedRun(taskRun.runId);
  if (earlier !== undefined) return earlier.runId;
  if (stopReason !== undefined) return decideAttemptEnd({ kind: 'stopped' }, stopReason);
  const refused =
    nestingError(await findAncestorJobs(c, active.run, c.limits.runJobDepth), jobId, c.limits.runJobDepth) ??
    (await findPermissionError(c, active.run, jobId));
  if (refused !== undefined) return failedAttempt(refused);
  try {
    const { runId } = await launchRun(
      c.launchPorts,
      {
        jobId,
        parameters: childParametersOf(body),
        idempotencyToken: undefined,
        creator: active.run.creatorUserName ?? '',
        launchedBy: taskRun.runId,
      },
      'retry',
    );
    return runId;
  } catch (error) {
    if (error instanceof ServiceError)
      return failedAttempt(`Job ${jobId} could not be started: ${messageOf(error)}`);
    throw error;
  }
}

function failedAttempt(message: string): AttemptEnd {
  return { kind: 'finish', result: 'FAILED', message };
}

/** While job access control is on, whoever the job runs as must be allowed to run the other one. */
async function findPermissionError(
  { permissions }: CoordinatorContext,
  { jobId: own, creatorUserName }: Run,
  jobId: number,
): Promise<string | undefined> {
  if (permissions === undefined) return undefined;
  const userName = (await permissions.listOwners([own])).get(own) ?? creatorUserName ?? '';
  const held = await permissions.findLevels('job_id', jobId, userName);
  if (
    held === undefined ||
    hasPermission(held.levels, 'CAN_MANAGE_RUN') ||
    (await permissions.isAdmin(userName))
  )
    return undefined;
  return `User ${userName}, as whom this job runs, may not run job ${jobId}: CAN_MANAGE_RUN on it is needed.`;
}

function attemptEndOf({ stopReason }: TaskExecution, child: Run): AttemptEnd {
  const end = taskEndOf(child);
  if (stopReason === undefined || end.result === 'SUCCESS') return { kind: 'finish', ...end };
  return { kind: 'finish', result: resultOfStop[stopReason], message: stopMessage[stopReason] };
}
