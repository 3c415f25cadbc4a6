/** Decides what a step of a task or run writes: rows, notifications and the retry. Pure. */
import {
  notificationsForEnd,
  notificationsForStart,
  type NotificationSubject,
} from '../notification/routing.ts';
import type { ChangeSet } from '../ports/runs.ts';
import type { AttemptNumber, RunNotification } from '../run/notification.ts';
import { decideRetry, isPlannedRetry, type Retry } from '../run/retry.ts';
import { stepOfEvents, type StateChange, type Step, type StepEvents, type StepFacts } from '../run/step.ts';
import { lateWarningNotifications } from './late-warning.ts';
import { isSingleTask, type RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';

type RunState = Pick<RunExecution, 'run' | 'phase'>;
type TaskAttempt = Pick<TaskExecution, 'settings' | 'taskRun' | 'retries'>;

/** A step of a task, with the step of the run that goes with it. */
export interface TaskTransition {
  readonly step: Step;
  /** Set when the run moves too: a single-task run always does, any other begins with its first task. */
  readonly runStep: Step | undefined;
  /** The retry that follows the end of this attempt. */
  readonly retry: Retry | undefined;
}

/**
 * Decides a step of a task.
 * @throws Error when the transition table does not allow it: a bug of the caller
 */
export function decideTaskTransition(
  execution: RunState,
  task: TaskAttempt,
  events: StepEvents,
  now: number,
  facts: StepFacts,
): TaskTransition {
  const { run, phase } = execution;
  const step = stepOfEvents({ kind: 'task', ...task.taskRun }, events, now, facts);
  const retry = retryAfter(execution, task, step);
  if (isSingleTask(execution)) {
    const { clusterId: _cluster, sparkContextId: _context, ...runFacts } = facts;
    // A retry starts with its task, not when it was planned.
    const starts =
      isPlannedRetry(run) &&
      [step.changeBefore, step.change].some((change) => change?.startTime !== undefined);
    const progress = starts ? { ...run.progress, startTime: undefined } : run.progress;
    return { step, retry, runStep: stepOfEvents({ kind: 'run', ...run, progress }, events, now, runFacts) };
  }
  const beginsRun = events === 'begin' && phase === 'pending';
  const runStep = beginsRun ? stepOfEvents({ kind: 'run', ...run }, events, now, { message: '' }) : undefined;
  return { step, retry, runStep };
}

/** A stopped run is not retried. */
function retryAfter(
  execution: RunState,
  { settings, taskRun, retries }: TaskAttempt,
  { progress, change, retry }: Step,
): Retry | undefined {
  const { run } = execution;
  if (!retry || run.stopReason !== undefined) return undefined;
  const single = isSingleTask(execution);
  // The settings of a single-task run are those of its task.
  return decideRetry(
    single ? run.settings : settings,
    {
      progress,
      runId: taskRun.runId,
      startTime: progress.startTime ?? change.at,
      retries: single ? run.attempt : retries,
    },
    change.at,
  );
}

/** Returns the write of a task's step; a single-task run sends the notifications of its task. */
export function changeSetOfTask(
  execution: RunState,
  task: TaskAttempt,
  { step, runStep }: TaskTransition,
  isRetried: boolean,
): ChangeSet {
  if (isSingleTask(execution) && runStep !== undefined) {
    const run = withNotifications(execution, undefined, runStep, isRetried);
    return {
      changes: [...changesBefore([runStep, step]), run.change, step.change],
      notifications: run.notifications,
    };
  }
  return toChangeSet(
    [
      ...(runStep === undefined ? [] : [withNotifications(execution, undefined, runStep, false)]),
      withNotifications(execution, task, step, isRetried),
    ],
    changesBefore([step]),
  );
}

/** Returns the first changes of steps of two events. */
function changesBefore(steps: readonly Step[]): StateChange[] {
  return steps.flatMap(({ changeBefore }) => changeBefore ?? []);
}

/** Returns the write of a step of a multi-task run. */
export function changeSetOfRun(execution: RunState, step: Step): ChangeSet {
  return toChangeSet([withNotifications(execution, undefined, step, false)], changesBefore([step]));
}

interface NotifiedChange {
  readonly change: Step['change'];
  readonly notifications: readonly RunNotification[];
}

function toChangeSet(steps: readonly NotifiedChange[], before: readonly StateChange[] = []): ChangeSet {
  return {
    changes: [...before, ...steps.map(({ change }) => change)],
    notifications: steps.flatMap(({ notifications }) => notifications),
  };
}

/** Returns the number of an attempt that can be retried, for its messages; undefined for all others. */
function attemptNumberOf(execution: RunState, task: TaskAttempt | undefined): AttemptNumber | undefined {
  const single = isSingleTask(execution);
  if (!single && task === undefined) return undefined;
  const policy = single ? execution.run.settings : task?.settings;
  const maxRetries = policy?.max_retries ?? 0;
  const before = single ? execution.run.attempt : (task?.retries ?? 0);
  if (maxRetries === 0 && before === 0) return undefined;
  return { number: before + 1, of: maxRetries < 0 ? undefined : maxRetries + 1 };
}

/** Adds the notifications that the transition table asks for. @param isRetried whether a retry follows */
function withNotifications(
  execution: RunState,
  task: TaskAttempt | undefined,
  { change, progress, notification }: Step,
  isRetried: boolean,
): NotifiedChange {
  const { jobId, runId, repair, attempt, settings } = execution.run;
  const subject: NotificationSubject = {
    jobId,
    runId: task?.taskRun.runId ?? runId,
    now: change.at,
    ...(task && { taskKey: task.settings.task_key }),
    isRetry: (task === undefined ? attempt : task.retries) > 0,
    isRetried,
    attempt: attemptNumberOf(execution, task),
  };
  const holder = task?.settings ?? settings;
  switch (notification) {
    case undefined:
      return { change, notifications: [] };
    case 'start': {
      // The start of a repaired run was announced before its repair.
      const announced = task === undefined && repair !== undefined;
      return { change, notifications: announced ? [] : notificationsForStart(holder, subject) };
    }
    case 'end': {
      const end = notificationsForEnd(holder, progress, subject);
      const run = task === undefined ? { ...execution.run, progress } : execution.run;
      const late = lateWarningNotifications({ run }, task, progress.endTime ?? change.at, subject);
      return late === undefined
        ? { change, notifications: end }
        : { change: { ...change, warned: true }, notifications: [...late, ...end] };
    }
    default:
      return notification satisfies never;
  }
}
