/**
 * Child runs that a program starts and waits for: another notebook (a WORKFLOW_RUN) or a stored job. Each key
 * of a task has one run, however often the program asks and the engine restarts.
 */
import { messageOf, ServiceError } from '../errors.ts';
import { checkSubmission } from '../job/check-settings.ts';
import type { SubmitSettings } from '../job/settings.ts';
import { launchRun, submitRun } from '../launch.ts';
import type { ChildRunOrigin } from '../launch-request.ts';
import {
  toChildRunResult,
  depthError,
  refusedChildRun,
  type ChildRunResult,
  type ChildRunRequest,
} from '../run/child-run.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import { nestingError } from '../run/run-job-rules.ts';
import { runPageUrl } from '../run/workspace-info.ts';
import { findAncestorJobs } from './ancestors.ts';
import { awaitRun, type AwaitContext } from './await-run.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { isReleased, type RunExecution } from './run-execution.ts';
import { setWaitsFor, type TaskExecution } from './task-execution.ts';

type ChildContext = AwaitContext &
  Pick<CoordinatorContext, 'limits' | 'launchPorts' | 'directories' | 'log' | 'workspace'>;

/** Scope of the idempotency tokens of child runs; job ids are positive, and submissions have the scope 0. */
const childScope = -1;

/**
 * Runs a child run to its end. After `ownership lost` the engine that adopts the parent is asked again.
 * @param stop aborted when the child is to be cancelled, or not to be started any more
 */
export async function launchChildAndWait(
  c: ChildContext,
  execution: RunExecution,
  task: TaskExecution,
  key: string,
  request: ChildRunRequest,
  stop: AbortSignal,
): Promise<ChildRunResult | OwnershipLost> {
  const subject = describeRequest(request);
  try {
    const started = stop.aborted
      ? await preventStart(c, task, key)
      : await startChild(c, execution, task, key, request);
    if (typeof started !== 'number') return started;
    setWaitsFor(task, `run ${started} of ${subject}`);
    const latest = await awaitRun(c, execution, task, started, stop);
    setWaitsFor(task, undefined);
    if (latest === ownershipLost) return latest;
    if (latest === undefined)
      return refusedChildRun(`Run ${started} of ${subject} was deleted before it was over.`);
    const output = await c.directories.readOutput(latest.runId);
    const url = runPageUrl(c.workspace, latest.jobId, latest.runId);
    return toChildRunResult(subject, latest, output?.error, output?.result, url);
  } catch (error) {
    if (isReleased(execution)) return ownershipLost;
    c.log.error(
      { run_id: task.taskRun.runId, error: messageOf(error) },
      'The engine failed to start or follow a child run of this task.',
    );
    return refusedChildRun(`The engine failed to run ${subject}: ${messageOf(error)}`);
  }
}

function describeRequest(request: ChildRunRequest): string {
  return request.kind === 'job' ? `job ${request.jobId}` : `notebook ${request.path}`;
}

/** Returns the id of the key's run, started now unless it was before; a result when it cannot be started. */
async function startChild(
  c: ChildContext,
  execution: RunExecution,
  { taskRun }: TaskExecution,
  key: string,
  request: ChildRunRequest,
): Promise<number | ChildRunResult> {
  const child: ChildRunOrigin = {
    idempotencyScope: childScope,
    key: childTokenOf(taskRun.runId, key),
    parentTaskRun: taskRun.runId,
  };
  try {
    return request.kind === 'job'
      ? await startChildJob(c, execution, request, child)
      : await startChildNotebook(c, execution, taskRun.clusterId, request, child);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const subject = describeRequest(request).replace(/^./, (first) => first.toUpperCase());
    return refusedChildRun(`${subject} could not be started: ${error.message}`);
  }
}

async function startChildJob(
  c: ChildContext,
  { run }: RunExecution,
  { jobId, parameters }: Extract<ChildRunRequest, { kind: 'job' }>,
  child: ChildRunOrigin,
): Promise<number | ChildRunResult> {
  const { runJobDepth } = c.limits;
  const refusal = nestingError(await findAncestorJobs(c, run, runJobDepth), jobId, runJobDepth);
  if (refusal !== undefined) return refusedChildRun(refusal);
  const creator = run.creatorUserName ?? '';
  const launch = { jobId, parameters, idempotencyToken: undefined, creator, child };
  return (await launchRun(c.launchPorts, launch, { onOutage: 'retry' })).runId;
}

async function startChildNotebook(
  c: ChildContext,
  { run }: RunExecution,
  clusterId: string | undefined,
  request: Extract<ChildRunRequest, { kind: 'notebook' }>,
  child: ChildRunOrigin,
): Promise<number | ChildRunResult> {
  const { notebookRunDepth } = c.limits;
  const depth = (await findAncestorJobs(c, run, notebookRunDepth)).length;
  const refusal = depthError(`The notebook ${request.path}`, depth, notebookRunDepth);
  if (refusal !== undefined) return refusedChildRun(refusal);
  if (clusterId === undefined) return refusedChildRun('A task without a cluster cannot run a notebook.');
  const settings = notebookSubmission(request, clusterId);
  checkSubmission(settings, { version: '2.0', limits: c.limits });
  const submission = { settings, version: '2.0', creator: run.creatorUserName ?? '', child } as const;
  return (await submitRun(c.launchPorts, submission, { onOutage: 'retry' })).runId;
}

/** Returns the submission of one notebook on the cluster of the parent task. */
function notebookSubmission(
  { path, arguments: baseParameters, timeoutSeconds }: Extract<ChildRunRequest, { kind: 'notebook' }>,
  clusterId: string,
): SubmitSettings {
  return {
    run_name: path,
    existing_cluster_id: clusterId,
    notebook_task: { notebook_path: path, base_parameters: { ...baseParameters } },
    ...(timeoutSeconds > 0 && { timeout_seconds: timeoutSeconds }),
  };
}

/** Returns the key's run if it was started; otherwise keeps it from ever starting. */
async function preventStart(
  { runs }: Pick<ChildContext, 'runs'>,
  { taskRun }: TaskExecution,
  key: string,
): Promise<number | ChildRunResult> {
  const claim = await runs.launchTransaction(
    (transaction) => transaction.claimIdempotencyToken(childScope, childTokenOf(taskRun.runId, key), 0),
    { onOutage: 'retry' },
  );
  if (claim !== 'claimed' && !claim.deleted) return claim.runId;
  return { result: 'CANCELED', message: 'It was not started: the task that asked for it was stopped.' };
}

function childTokenOf(taskRunId: number, key: string): string {
  return `${taskRunId}/${key}`;
}
