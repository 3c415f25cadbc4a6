/**
 * Starts what a task asks for while it runs, and waits for its end without a thread: another notebook (a
 * WORKFLOW_RUN) or a stored job. Each key of a task gets one run, however often it asks and engines are
 * killed in between.
 */
import { messageOf, ServiceError } from '../errors.ts';
import { checkSubmission } from '../job/check.ts';
import type { SubmitSettings } from '../job/settings.ts';
import { runNow, submit } from '../launch.ts';
import { childEnd, depthError, refusedChild, type ChildEnd, type ChildRequest } from '../run/child.ts';
import { nestingError } from '../run/run-job.ts';
import type { ActiveRun, ActiveTask } from './active-run.ts';
import { ancestorsOf } from './ancestors.ts';
import { awaitRun } from './await-run.ts';
import type { Coordination } from './coordination.ts';
import { LetGo } from './write.ts';

/** Idempotency tokens of what tasks start share one scope, which is no job's and not that of submissions. */
const childScope = -1;

/**
 * Runs it to its end. Never resolves when this node lets go of the run: whoever adopts it is asked again.
 * @param stop aborted when the child is to be cancelled, or not to be started any more
 */
export async function launchChild(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  key: string,
  request: ChildRequest,
  stop: AbortSignal,
): Promise<ChildEnd> {
  try {
    const started = stop.aborted ? await forestall(c, task, key) : await start(c, active, task, key, request);
    if (typeof started !== 'number') return started;
    const last = await awaitRun(c, active, started, stop);
    const what = nameOf(request);
    if (last === undefined) return refusedChild(`Run ${started} of ${what} was deleted before it was over.`);
    const output = await c.workplace.read(last.runId);
    return childEnd(what, last, output?.error, output?.result);
  } catch (error) {
    if (error instanceof LetGo || c.closing()) return new Promise(() => undefined);
    c.log.error(
      { run_id: task.taskRun.runId, error: messageOf(error) },
      'The engine failed to start or follow what this task asked for.',
    );
    return refusedChild(`The engine failed to run ${nameOf(request)}: ${messageOf(error)}`);
  }
}

function nameOf(request: ChildRequest): string {
  return request.kind === 'job' ? `job ${request.jobId}` : `notebook ${request.path}`;
}

/**
 * The id of the run that the key stands for, started now unless it was before; an end when it cannot be
 * started.
 */
async function start(
  c: Coordination,
  active: ActiveRun,
  { taskRun }: ActiveTask,
  key: string,
  request: ChildRequest,
): Promise<number | ChildEnd> {
  const creator = active.run.creatorUserName ?? '';
  const child = { scope: childScope, key: tokenOf(taskRun.runId, key), parent: taskRun.runId };
  try {
    if (request.kind === 'job') {
      const refused = nestingError(
        await ancestorsOf(c, active.run, c.limits.runJobDepth),
        request.jobId,
        c.limits.runJobDepth,
      );
      if (refused !== undefined) return refusedChild(refused);
      return (
        await runNow(
          c.launching,
          {
            jobId: request.jobId,
            parameters: request.parameters,
            idempotencyToken: undefined,
            creator,
            child,
          },
          'patient',
        )
      ).runId;
    }
    const most = c.limits.notebookRunDepth;
    const refused = depthError(
      `The notebook ${request.path}`,
      (await ancestorsOf(c, active.run, most)).length,
      most,
    );
    if (refused !== undefined) return refusedChild(refused);
    if (taskRun.clusterId === undefined)
      return refusedChild('A task without a cluster cannot run a notebook.');
    const settings = settingsOf(request, taskRun.clusterId);
    checkSubmission(settings, { version: '2.0', limits: c.limits });
    return (await submit(c.launching, { settings, version: '2.0', creator, child }, 'patient')).runId;
  } catch (error) {
    if (error instanceof ServiceError)
      return refusedChild(
        `${nameOf(request).replace(/^./, (first) => first.toUpperCase())} could not be started: ${error.message}`,
      );
    throw error;
  }
}

/** One notebook on the cluster of the task that asks. */
function settingsOf(
  { path, arguments: given, timeoutSeconds }: Extract<ChildRequest, { kind: 'notebook' }>,
  clusterId: string,
): SubmitSettings {
  return {
    run_name: path,
    existing_cluster_id: clusterId,
    notebook_task: { notebook_path: path, base_parameters: { ...given } },
    ...(timeoutSeconds > 0 && { timeout_seconds: timeoutSeconds }),
  };
}

/** The run that the key stands for, if it was started; else it never will be. */
async function forestall(c: Coordination, { taskRun }: ActiveTask, key: string): Promise<number | ChildEnd> {
  const claim = await c.runs.launch(
    (transaction) => transaction.claimIdempotencyToken(childScope, tokenOf(taskRun.runId, key), 0),
    'patient',
  );
  if (claim !== 'claimed' && !claim.deleted) return claim.runId;
  return { result: 'CANCELED', message: 'It was not started: the task that asked for it was stopped.' };
}

function tokenOf(taskRunId: number, key: string): string {
  return `${taskRunId}/${key}`;
}
