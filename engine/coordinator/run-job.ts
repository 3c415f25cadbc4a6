/**
 * A run_job_task: starts a run of another job and waits for it, without a process or a thread. Its attempt has one run, however
 * often engines are killed in between; it is cancelled with its task, and its end is the end of the task (spec 2.7).
 */
import { cancelChild } from '../cancel.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { reaches } from '../job/permissions.ts';
import { runNow } from '../launch.ts';
import { stopMessage } from '../run/roll-up.ts';
import { decideAfterAttempt, type AfterAttempt } from '../run/attempt.ts';
import { endOfChild, nestingError, parametersOfChild } from '../run/run-job.ts';
import type { Run } from '../run/run.ts';
import { isTerminal, resultOfStop } from '../run/states.ts';
import { atTime, type ActiveRun, type ActiveTask } from './active-run.ts';
import type { Coordination } from './coordination.ts';
import { LetGo } from './write.ts';

/** Between two looks at a run that another node may drive, in milliseconds. */
const lookEvery = 5_000;

/**
 * Runs the job that a task names to its end.
 * @param body the value of `run_job_task`, references resolved
 */
export async function runJobTask(c: Coordination, active: ActiveRun, task: ActiveTask, body: Readonly<Record<string, unknown>>): Promise<AfterAttempt> {
  const jobId = Number(body['job_id']);
  const started = await start(c, active, task, jobId, body);
  if (typeof started !== 'number') return started;
  let watched = started;
  let asked: number | undefined;
  for (;;) {
    // Listened for from before the look on: no end falls between the two.
    const ending = listen(c, watched);
    try {
      const latest = await c.runs.latestAttempt(started);
      if (latest === undefined) return failed(`Run ${started} of job ${jobId} was deleted before it was over.`);
      if (await isOver(c, latest)) return endOf(task, latest);
      if (latest.runId === watched) {
        // A retry may have begun just before its predecessor was asked to stop.
        if (task.stopReason !== undefined && asked !== watched) {
          await cancelChild({ runs: c.runs, stop: c.stopRun }, watched);
          asked = watched;
        }
        await somethingHappens(c, active, task, ending.heard, asked === watched);
        if (active.retired || c.closing()) throw new LetGo();
      }
      watched = latest.runId;
    } finally {
      ending.quiet();
    }
  }
}

/** Whether a run is said to be over, from now on until `quiet` is called. */
function listen(c: Coordination, runId: number): { readonly heard: Promise<void>; readonly quiet: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { heard: promise, quiet: c.endings.on(runId, resolve) };
}

/** The run of the attempt, started now unless an earlier engine has; an end when it cannot be started. */
async function start(
  c: Coordination, active: ActiveRun, { taskRun, stopReason }: ActiveTask, jobId: number, body: Readonly<Record<string, unknown>>,
): Promise<number | AfterAttempt> {
  const earlier = await c.runs.launchedBy(taskRun.runId);
  if (earlier !== undefined) return earlier.runId;
  if (stopReason !== undefined) return decideAfterAttempt({ kind: 'stopped' }, stopReason);
  const refused = nestingError(await ancestorsOf(c, active.run), jobId, c.limits.runJobDepth) ?? (await lacksPermission(c, active.run, jobId));
  if (refused !== undefined) return failed(refused);
  try {
    const { runId } = await runNow(c.launching, {
      jobId, parameters: parametersOfChild(body), idempotencyToken: undefined, creator: active.run.creatorUserName ?? '', launchedBy: taskRun.runId,
    }, 'patient');
    return runId;
  } catch (error) {
    if (error instanceof ServiceError) return failed(`Job ${jobId} could not be started: ${messageOf(error)}`);
    throw error;
  }
}

function failed(message: string): AfterAttempt {
  return { kind: 'finish', result: 'FAILED', message };
}

/** Ids of the jobs whose runs led to this one by run_job_tasks, its own first. */
async function ancestorsOf(c: Coordination, run: Run): Promise<number[]> {
  const jobs = [run.jobId];
  for (let launchedBy = await launcherOf(c, run); launchedBy !== undefined && jobs.length <= c.limits.runJobDepth;) {
    const parent = (await c.runs.find(launchedBy, 'patient'))?.run;
    if (parent !== undefined) jobs.push(parent.jobId);
    launchedBy = parent && await launcherOf(c, parent);
  }
  return jobs;
}

/** The task run that started a run; of a retry, that which started its first attempt. */
async function launcherOf(c: Coordination, { attempt, originalAttemptRunId, launchedBy }: Run): Promise<number | undefined> {
  return attempt === 0 ? launchedBy : (await c.runs.find(originalAttemptRunId, 'patient'))?.run.launchedBy;
}

/** While job access control is on, whoever the job runs as must be allowed to run the other one. */
async function lacksPermission({ permissions }: Coordination, { jobId: own, creatorUserName }: Run, jobId: number): Promise<string | undefined> {
  if (permissions === undefined) return undefined;
  const userName = (await permissions.ownersOf([own])).get(own) ?? creatorUserName ?? '';
  const held = await permissions.levelsOn('job_id', jobId, userName);
  if (held === undefined || reaches(held.levels, 'CAN_MANAGE_RUN') || (await permissions.isAdmin(userName))) return undefined;
  return `User ${userName}, as whom this job runs, may not run job ${jobId}: CAN_MANAGE_RUN on it is needed.`;
}

/** A run that is over may have a retry, which was stored together with its end. */
async function isOver(c: Coordination, run: Run): Promise<boolean> {
  if (!isTerminal(run.progress.state)) return false;
  const latest = await c.runs.latestAttempt(run.originalAttemptRunId);
  return latest === undefined || latest.runId === run.runId;
}

function endOf({ stopReason }: ActiveTask, child: Run): AfterAttempt {
  const end = endOfChild(child);
  if (stopReason === undefined || end.result === 'SUCCESS') return { kind: 'finish', ...end };
  return { kind: 'finish', result: resultOfStop[stopReason], message: stopMessage[stopReason] };
}

/** Resolves when the run is said to be over, the task is to stop, or it is time to look again. Never when this node lets go of it. */
async function somethingHappens(c: Coordination, active: ActiveRun, task: ActiveTask, heard: Promise<void>, stopping: boolean): Promise<void> {
  let disarm = (): void => undefined;
  await new Promise<void>((resolve) => {
    void heard.then(resolve);
    disarm = atTime(active, c.clock, c.clock.now() + lookEvery, resolve);
    if (!stopping) task.interrupt = resolve;
    if (!stopping && task.stopReason !== undefined) resolve();
  });
  disarm();
  task.interrupt = undefined;
}
