/** Writing the steps of a run: the rows, the notices they cause, and then the memory of it. */
import { retryRun } from '../launch.ts';
import {
  notificationsForEnd,
  notificationsForStart,
  type NotificationSubject,
} from '../notification/routing.ts';
import type { RunNotification } from '../run/notification.ts';
import type { ChangeSet } from '../ports/runs.ts';
import { stepOf, type Step, type StepEvent, type StepFacts } from '../run/step.ts';
import { decideRetry, createTaskRetry, type Retry } from '../run/retry.ts';
import type { TaskRun } from '../run/run.ts';
import { isTerminal } from '../run/states.ts';
import { isSingleTask, resumeWithRetry, type RunExecution, type TaskExecution } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { lateWarningNotifications } from './duration-warnings.ts';

/**
 * The run was taken over by another node, or this node is closing: whoever drives it lets go, and nothing is
 * wrong.
 */
export class OwnershipLost extends Error {}

/**
 * Moves a task; a single-task run moves with its task, and a multi-task run begins with its first one. The
 * end of an attempt that is retried goes together with what follows it: the next attempt of the task, or a
 * new run.
 */
export async function transitionTask(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  event: StepEvent,
  facts: StepFacts = {},
): Promise<void> {
  await Promise.all(active.pendingWarnings);
  const step = stepOf({ kind: 'task', ...task.taskRun }, event, c.clock.now(), facts);
  // From here on the end itself tells whether it lasted too long: a warning beside it would tell it twice.
  if (isTerminal(step.progress.state)) (isSingleTask(active) ? active : task).cancelWarning?.();
  const retry = retryFor(c, active, task, step);
  if (isSingleTask(active)) return transitionSingleTaskRun(c, active, task, event, { step, facts, retry });
  const beginsRun = event === 'begin' && !active.begun;
  if (beginsRun) active.begun = true;
  const runStep = beginsRun
    ? stepOf({ kind: 'run', ...active.run }, event, step.change.at, { message: '' })
    : undefined;
  const told = [
    ...(runStep === undefined ? [] : [describeStep(active, undefined, event, runStep)]),
    describeStep(active, task, event, step, retry !== undefined),
  ];
  const next = retry && createTaskRetry(task.taskRun, retry, await reserveRunId(c));
  try {
    await writeChangeSet(c, active, { ...toChangeSet(told), ...(next && { attempts: [next] }) });
  } catch (error) {
    if (beginsRun) active.begun = false;
    throw error;
  }
  applyStep(task, step, facts);
  if (next !== undefined) resumeWithRetry(task, next);
  if (runStep !== undefined) active.run = { ...active.run, progress: runStep.progress };
  // The task that was to begin the run could not be written: looked at again, the run begins late.
  if (event === 'begin' && !active.begun) c.advance(active);
}

/** Moves a multi-task run itself. */
export async function transitionRun(
  c: CoordinatorContext,
  active: RunExecution,
  event: StepEvent,
  facts: StepFacts = {},
): Promise<void> {
  await Promise.all(active.pendingWarnings);
  const step = stepOf({ kind: 'run', ...active.run }, event, c.clock.now(), facts);
  if (isTerminal(step.progress.state)) active.cancelWarning?.();
  await writeChangeSet(c, active, toChangeSet([describeStep(active, undefined, event, step)]));
  active.run = { ...active.run, progress: step.progress };
}

interface SingleTaskTransition {
  readonly step: Step;
  readonly facts: StepFacts;
  readonly retry: Retry | undefined;
}

/** A single-task run and its task: the same step for both. */
async function transitionSingleTaskRun(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  event: StepEvent,
  { step, facts, retry }: SingleTaskTransition,
): Promise<void> {
  const { clusterId: _cluster, sparkContextId: _context, ...runFacts } = facts;
  const runStep = stepOf({ kind: 'run', ...active.run }, event, step.change.at, runFacts);
  const changeSet = (retried: boolean): ChangeSet => {
    const run = describeStep(active, undefined, event, runStep, retried);
    return { changes: [run.change, step.change], notifications: run.notifications };
  };
  if (retry === undefined) {
    await writeChangeSet(c, active, changeSet(false));
  } else {
    if (c.isClosing()) throw new OwnershipLost();
    const { runId, jobId } = active.run;
    assertWritten(c, active, await retryRun(c.launchPorts, { runId, jobId, retry, endChanges: changeSet }));
  }
  applyStep(task, step, facts);
  active.run = { ...active.run, progress: runStep.progress };
}

/**
 * The retry that follows this step; undefined when the step is no end, or the last one. A stopped run is not
 * retried.
 */
function retryFor(
  c: CoordinatorContext,
  active: RunExecution,
  { settings, taskRun, retries }: TaskExecution,
  { progress }: Step,
): Retry | undefined {
  if (!isTerminal(progress.state) || active.run.stopReason !== undefined) return undefined;
  const single = isSingleTask(active);
  const now = c.clock.now();
  // The settings of a single-task run are those of its task.
  return decideRetry(
    single ? active.run.settings : settings,
    {
      progress,
      runId: taskRun.runId,
      startTime: progress.startTime ?? now,
      retries: single ? active.run.attempt : retries,
    },
    now,
  );
}

async function reserveRunId(c: CoordinatorContext): Promise<number> {
  const [id = 0] = await c.runs.reserveRunIds(1);
  return id;
}

/** What memory knows of the task after a step was written. */
function applyStep(task: TaskExecution, step: Step, { clusterId, sparkContextId }: StepFacts): void {
  const former: TaskRun = task.taskRun;
  task.taskRun = {
    ...former,
    progress: step.progress,
    clusterId: clusterId ?? former.clusterId,
    sparkContextId: sparkContextId ?? former.sparkContextId,
    warned: former.warned || step.change.warned === true,
  };
}

interface StateChangeWithNotifications {
  readonly change: Step['change'];
  readonly notifications: readonly RunNotification[];
}

function toChangeSet(told: readonly StateChangeWithNotifications[]): ChangeSet {
  return {
    changes: told.map(({ change }) => change),
    notifications: told.flatMap(({ notifications }) => notifications),
  };
}

async function writeChangeSet(
  c: CoordinatorContext,
  active: RunExecution,
  changeSet: ChangeSet,
): Promise<void> {
  if (c.isClosing()) throw new OwnershipLost();
  assertWritten(c, active, await c.runs.write(changeSet));
}

function assertWritten(c: CoordinatorContext, active: RunExecution, answer: 'written' | 'refused'): void {
  if (answer === 'written') return;
  c.log.warn(
    { run_id: active.run.runId, fence: active.run.fence },
    'A write about this run was refused: another engine has adopted it. This one lets go of it.',
  );
  throw new OwnershipLost();
}

/** A step with what people are told of it. `isRetried`: another attempt follows. */
function describeStep(
  active: RunExecution,
  task: TaskExecution | undefined,
  event: StepEvent,
  { change, progress }: Step,
  isRetried = false,
): StateChangeWithNotifications {
  const { jobId, runId, repair, attempt } = active.run;
  const subject: NotificationSubject = {
    jobId,
    runId: task?.taskRun.runId ?? runId,
    now: change.at,
    ...(task && { taskKey: task.settings.task_key }),
    isRetry: (task === undefined ? attempt : task.retries) > 0,
    isRetried,
  };
  const holder = task?.settings ?? active.run.settings;
  // A repaired run has said before that it began.
  if (event === 'begin')
    return {
      change,
      notifications: task === undefined && repair !== undefined ? [] : notificationsForStart(holder, subject),
    };
  if (!isTerminal(progress.state)) return { change, notifications: [] };
  const late = lateWarningNotifications(active, task, progress.endTime ?? change.at, subject);
  return late === undefined
    ? { change, notifications: notificationsForEnd(holder, progress, subject) }
    : {
        change: { ...change, warned: true },
        notifications: [...late, ...notificationsForEnd(holder, progress, subject)],
      };
}
