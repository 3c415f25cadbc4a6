/**
 * Starts what a task asks for while it runs, and waits for its end without a thread: another notebook (a
 * WORKFLOW_RUN) or a stored job. Each key of a task gets one run, however often it asks and engines are
 * killed in between.
 */
import { messageOf, ServiceError } from '../errors.ts';
import { checkSubmission } from '../job/check-settings.ts';
import type { SubmitSettings } from '../job/settings.ts';
import { launchRun, submitRun } from '../launch.ts';
import {
  toChildRunResult,
  depthError,
  refusedChildRun,
  type ChildRunResult,
  type ChildRunRequest,
} from '../run/child-run.ts';
import { nestingError } from '../run/run-job-rules.ts';
import type { RunExecution, TaskExecution } from './run-execution.ts';
import { findAncestorJobs } from './ancestors.ts';
import { awaitRun } from './await-run.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { OwnershipLost } from './transition-run.ts';

/** Idempotency tokens of what tasks start share one scope, which is no job's and not that of submissions. */
const childScope = -1;

/**
 * Runs it to its end. Never resolves when this node lets go of the run: whoever adopts it is asked again.
 * @param stop aborted when the child is to be cancelled, or not to be started any more
 */
export async function launchChildAndWait(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  key: string,
  request: ChildRunRequest,
  stop: AbortSignal,
): Promise<ChildRunResult> {
  try {
    const started = stop.aborted
      ? await preventStart(c, task, key)
      : await startChild(c, active, task, key, request);
    if (typeof started !== 'number') return started;
    const last = await awaitRun(c, active, started, stop);
    const what = describeRequest(request);
    if (last === undefined)
      return refusedChildRun(`Run ${started} of ${what} was deleted before it was over.`);
    const output = await c.directories.readOutput(last.runId);
    return toChildRunResult(what, last, output?.error, output?.result);
  } catch (error) {
    if (error instanceof OwnershipLost || c.isClosing()) return new Promise(() => undefined);
    c.log.error(
      { run_id: task.taskRun.runId, error: messageOf(error) },
      'The engine failed to start or follow what this task asked for.',
    );
    return refusedChildRun(`The engine failed to run ${describeRequest(request)}: ${messageOf(error)}`);
  }
}

function describeRequest(request: ChildRunRequest): string {
  return request.kind === 'job' ? `job ${request.jobId}` : `notebook ${request.path}`;
}

/**
 * The id of the run that the key stands for, started now unless it was before; an end when it cannot be
 * started.
 */
async function startChild(
  c: CoordinatorContext,
  active: RunExecution,
  { taskRun }: TaskExecution,
  key: string,
  request: ChildRunRequest,
): Promise<number | ChildRunResult> {
  const creator = active.run.creatorUserName ?? '';
  const child = {
    idempotencyScope: childScope,
    key: childTokenOf(taskRun.runId, key),
    parentTaskRun: taskRun.runId,
  };
  try {
    if (request.kind === 'job') {
      const refused = nestingError(
        await findAncestorJobs(c, active.run, c.limits.runJobDepth),
        request.jobId,
        c.limits.runJobDepth,
      );
      if (refused !== undefined) return refusedChildRun(refused);
      return (
        await launchRun(
          c.launchPorts,
          {
            jobId: request.jobId,
            parameters: request.parameters,
            idempotencyToken: undefined,
            creator,
            child,
          },
          'retry',
        )
      ).runId;
    }
    const most = c.limits.notebookRunDepth;
    const refused = depthError(
      `The notebook ${request.path}`,
      (await findAncestorJobs(c, active.run, most)).length,
      most,
    );
    if (refused !== undefined) return refusedChildRun(refused);
    if (taskRun.clusterId === undefined)
      return refusedChildRun('A task without a cluster cannot run a notebook.');
    const settings = notebookSubmission(request, taskRun.clusterId);
    checkSubmission(settings, { version: '2.0', limits: c.limits });
    return (await submitRun(c.launchPorts, { settings, version: '2.0', creator, child }, 'retry')).runId;
  } catch (error) {
    if (error instanceof ServiceError)
      return refusedChildRun(
        `${describeRequest(request).replace(/^./, (first) => first.toUpperCase())} could not be started: ${error.message}`,
      );
    throw error;
  }
}

/** One notebook on the cluster of the task that asks. */
function notebookSubmission(
  { path, arguments: given, timeoutSeconds }: Extract<ChildRunRequest, { kind: 'notebook' }>,
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
async function preventStart(
  c: CoordinatorContext,
  { taskRun }: TaskExecution,
  key: string,
): Promise<number | ChildRunResult> {
  const claim = await c.runs.launchTransaction(
    (transaction) => transaction.claimIdempotencyToken(childScope, childTokenOf(taskRun.runId, key), 0),
    'retry',
  );
  if (claim !== 'claimed' && !claim.deleted) return claim.runId;
  return { result: 'CANCELED', message: 'It was not started: the task that asked for it was stopped.' };
}

function childTokenOf(taskRunId: number, key: string): string {
  return `${taskRunId}/${key}`;
}
