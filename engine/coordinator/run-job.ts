/**
 * A run_job_task: starts a run of another job and waits for it, without a process or a thread. Its attempt
 * has one run, however often engines are killed in between; it is cancelled with its task, and its end is the
 * end of the task (spec 2.7).
 */
import { messageOf, ServiceError } from '../errors.ts';
import { reaches } from '../job/permissions.ts';
import { runNow } from '../launch.ts';
import { stopMessage } from '../run/roll-up.ts';
import { decideAfterAttempt, type AfterAttempt } from '../run/attempt.ts';
import { endOfChild, nestingError, parametersOfChild } from '../run/run-job.ts';
import type { Run } from '../run/run.ts';
import { resultOfStop } from '../run/states.ts';
import type { ActiveRun, ActiveTask } from './active-run.ts';
import { ancestorsOf } from './ancestors.ts';
import { awaitRun } from './await-run.ts';
import type { Coordination } from './coordination.ts';

/**
 * Runs the job that a task names to its end.
 * @param body the value of `run_job_task`, references resolved
 */
export async function runJobTask(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  body: Readonly<Record<string, unknown>>,
): Promise<AfterAttempt> {
  const jobId = Number(body['job_id']);
  const started = await start(c, active, task, jobId, body);
  if (typeof started !== 'number') return started;
  const stop = new AbortController();
  task.interrupt = () => stop.abort();
  if (task.stopReason !== undefined) stop.abort();
  const latest = await awaitRun(c, active, started, stop.signal);
  task.interrupt = undefined;
  return latest === undefined
    ? failed(`Run ${started} of job ${jobId} was deleted before it was over.`)
    : endOf(task, latest);
}

/** The run of the attempt, started now unless an earlier engine has; an end when it cannot be started. */
async function start(
  c: Coordination,
  active: ActiveRun,
  { taskRun, stopReason }: ActiveTask,
  jobId: number,
  body: Readonly<Record<string, unknown>>,
): Promise<number | AfterAttempt> {
  const earlier = await c.runs.launchedBy(taskRun.runId);
  if (earlier !== undefined) return earlier.runId;
  if (stopReason !== undefined) return decideAfterAttempt({ kind: 'stopped' }, stopReason);
  const refused =
    nestingError(await ancestorsOf(c, active.run, c.limits.runJobDepth), jobId, c.limits.runJobDepth) ??
    (await lacksPermission(c, active.run, jobId));
  if (refused !== undefined) return failed(refused);
  try {
    const { runId } = await runNow(
      c.launching,
      {
        jobId,
        parameters: parametersOfChild(body),
        idempotencyToken: undefined,
        creator: active.run.creatorUserName ?? '',
        launchedBy: taskRun.runId,
      },
      'patient',
    );
    return runId;
  } catch (error) {
    if (error instanceof ServiceError)
      return failed(`Job ${jobId} could not be started: ${messageOf(error)}`);
    throw error;
  }
}

function failed(message: string): AfterAttempt {
  return { kind: 'finish', result: 'FAILED', message };
}

/** While job access control is on, whoever the job runs as must be allowed to run the other one. */
async function lacksPermission(
  { permissions }: Coordination,
  { jobId: own, creatorUserName }: Run,
  jobId: number,
): Promise<string | undefined> {
  if (permissions === undefined) return undefined;
  const userName = (await permissions.ownersOf([own])).get(own) ?? creatorUserName ?? '';
  const held = await permissions.levelsOn('job_id', jobId, userName);
  if (held === undefined || reaches(held.levels, 'CAN_MANAGE_RUN') || (await permissions.isAdmin(userName)))
    return undefined;
  return `User ${userName}, as whom this job runs, may not run job ${jobId}: CAN_MANAGE_RUN on it is needed.`;
}

function endOf({ stopReason }: ActiveTask, child: Run): AfterAttempt {
  const end = endOfChild(child);
  if (stopReason === undefined || end.result === 'SUCCESS') return { kind: 'finish', ...end };
  return { kind: 'finish', result: resultOfStop[stopReason], message: stopMessage[stopReason] };
}
