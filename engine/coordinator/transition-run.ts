/** Steps of tasks and runs: each is decided, written, and then applied in memory. */
import type { ChangeSet } from '../ports/runs.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import { createTaskRetry, type Retry } from '../run/retry.ts';
import type { TaskRun } from '../run/run.ts';
import { isTerminal } from '../run/states.ts';
import { stepOfEvents, type StepEvents, type StepFacts } from '../run/step.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import {
  changeSetOfRun,
  changeSetOfTask,
  decideTaskTransition,
  type TaskTransition,
} from './decide-transition.ts';
import { setRunWarning } from './duration-warnings.ts';
import { retryRun } from './retry-run.ts';
import { isReleased, isSingleTask, setBegun, setRunProgress, type RunExecution } from './run-execution.ts';
import { applyTaskStep, replaceWatch, resumeWithRetry, type TaskExecution } from './task-execution.ts';

export type TransitionContext = Pick<CoordinatorContext, 'runs' | 'clock' | 'log' | 'launchPorts' | 'post'>;
export type TransitionResult = 'written' | OwnershipLost;

/**
 * Moves a task. A single-task run moves with it, and a multi-task run begins with its first task. The end of
 * an attempt is written together with the retry that follows it.
 */
export async function transitionTask(
  c: TransitionContext,
  execution: RunExecution,
  task: TaskExecution,
  events: StepEvents,
  facts: StepFacts = {},
): Promise<TransitionResult> {
  await Promise.all(execution.pendingWarnings);
  const transition = decideTaskTransition(execution, task, events, c.clock.now(), facts);
  // The end itself is written with a late warning; the timer would send a second one.
  if (transition.step.notification === 'end')
    replaceWatch(isSingleTask(execution) ? execution : task, 'warning');
  if (isSingleTask(execution)) {
    const result = await writeSingleTaskStep(c, execution, task, transition);
    if (result !== 'written') return result;
    applySteps(execution, task, transition, facts);
    // The start of a retry moves to the start of its task.
    if (transition.runStep?.change.startTime !== undefined && !isTerminal(transition.step.progress.state))
      setRunWarning(c, execution);
    return result;
  }
  return transitionGraphTask(c, execution, task, transition, facts);
}

/** Moves a multi-task run itself. */
export async function transitionRun(
  c: TransitionContext,
  execution: RunExecution,
  events: StepEvents,
  facts: StepFacts = {},
): Promise<TransitionResult> {
  await Promise.all(execution.pendingWarnings);
  const step = stepOfEvents({ kind: 'run', ...execution.run }, events, c.clock.now(), facts);
  if (step.notification === 'end') replaceWatch(execution, 'warning');
  const result = await writeChangeSet(c, execution, changeSetOfRun(execution, step));
  if (result === 'written') setRunProgress(execution, step.progress);
  return result;
}

async function transitionGraphTask(
  c: TransitionContext,
  execution: RunExecution,
  task: TaskExecution,
  transition: TaskTransition,
  facts: StepFacts,
): Promise<TransitionResult> {
  const beginsRun = transition.runStep !== undefined;
  if (beginsRun) setBegun(execution, true);
  let result: TransitionResult = ownershipLost;
  let retryAttempt: TaskRun | undefined;
  try {
    retryAttempt = transition.retry && (await createRetryAttempt(c, task, transition.retry));
    result = await writeChangeSet(c, execution, {
      ...changeSetOfTask(execution, task, transition, transition.retry !== undefined),
      ...(retryAttempt && { attempts: [retryAttempt] }),
    });
  } finally {
    if (beginsRun && result !== 'written') setBegun(execution, false);
  }
  if (result !== 'written') return result;
  applySteps(execution, task, transition, facts);
  if (retryAttempt !== undefined) resumeWithRetry(task, retryAttempt);
  // The write of the task that was to begin the run has failed: the next decision begins the run.
  if (transition.step.notification === 'start' && execution.phase === 'pending')
    c.post(execution, { kind: 'decision needed' });
  return result;
}

async function createRetryAttempt(
  { runs }: Pick<TransitionContext, 'runs'>,
  { taskRun }: TaskExecution,
  retry: Retry,
): Promise<TaskRun> {
  const [runId = 0] = await runs.reserveRunIds(1);
  return createTaskRetry(taskRun, retry, runId);
}

async function writeSingleTaskStep(
  c: TransitionContext,
  execution: RunExecution,
  task: TaskExecution,
  transition: TaskTransition,
): Promise<TransitionResult> {
  const changeSet = (isRetried: boolean): ChangeSet =>
    changeSetOfTask(execution, task, transition, isRetried);
  const { retry } = transition;
  if (retry === undefined) return writeChangeSet(c, execution, changeSet(false));
  if (isReleased(execution)) return ownershipLost;
  const { runId, jobId } = execution.run;
  return resultOf(
    c,
    execution,
    await retryRun(c.launchPorts, { runId, jobId, retry, endChanges: changeSet }),
  );
}

async function writeChangeSet(
  c: TransitionContext,
  execution: RunExecution,
  changeSet: ChangeSet,
): Promise<TransitionResult> {
  if (isReleased(execution)) return ownershipLost;
  return resultOf(c, execution, await c.runs.write(changeSet));
}

function resultOf(
  { log }: Pick<TransitionContext, 'log'>,
  { run }: RunExecution,
  answer: 'written' | 'refused',
): TransitionResult {
  if (answer === 'written') return answer;
  log.warn(
    { run_id: run.runId, fence: run.fence },
    'A write about this run was refused because another engine has adopted it; this engine releases it.',
  );
  return ownershipLost;
}

function applySteps(
  execution: RunExecution,
  task: TaskExecution,
  { step, runStep }: TaskTransition,
  facts: StepFacts,
): void {
  applyTaskStep(task, step, facts);
  if (runStep !== undefined) setRunProgress(execution, runStep.progress);
}
