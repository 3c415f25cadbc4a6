/** Timed events of the reference model: timeouts, duration warnings, retries and cluster starts. */
import { advanceUntilStable, stopRun } from './reference-model.ts';
import {
  isOver,
  isPlannedRetry,
  latestAttempt,
  occupiesCapacity,
  recordNotification,
  timeoutStartOf,
  type ModelRun,
  type ModelState,
  type ModelTask,
} from './reference-state.ts';

interface DueEvent {
  readonly at: number;
  /** Events with different keys do not commute; undefined for an event that commutes with all. */
  readonly conflictKey: string | undefined;
  readonly apply: () => void;
}

/** Returns the timed events that follow from the current state. */
function dueEventsOf(model: ModelState): DueEvent[] {
  return model.runs.filter(occupiesCapacity).flatMap((run, index) => {
    const { timeoutSeconds, singleTask, healthSeconds } = run.plan;
    const events: DueEvent[] = [];
    const addEvent = (condition: boolean, at: number, name: string | undefined, apply: () => void): void => {
      if (condition) events.push({ at, conflictKey: name && `${name} of run ${index}`, apply });
    };
    addEvent(
      !singleTask && timeoutSeconds > 0 && run.stopReason === undefined,
      timeoutStartOf(run) + timeoutSeconds * 1_000,
      'timeout',
      () => stopRun(run, 'timeout'),
    );
    addEvent(
      healthSeconds > 0 && !run.warned && !isWaitingRetry(run),
      timeoutStartOf(run) + healthSeconds * 1_000 + 1,
      undefined,
      () => recordDurationWarning(run, undefined),
    );
    for (const task of run.tasks) {
      const attempt = latestAttempt(task);
      if (isOver(attempt)) continue;
      const { timeoutSeconds: seconds, healthSeconds: threshold } = task.plan;
      const { start, due: dueTime } = attempt;
      if (start !== undefined) {
        addEvent(
          seconds > 0 && attempt.stopReason === undefined,
          start + seconds * 1_000,
          'task timeout',
          () => {
            attempt.stopReason ??= 'timeout';
          },
        );
        addEvent(
          threshold > 0 && !singleTask && !attempt.warned,
          start + threshold * 1_000 + 1,
          undefined,
          () => recordDurationWarning(run, task),
        );
      }
      const none = (): void => undefined;
      addEvent(
        dueTime !== undefined && start === undefined && dueTime > model.now,
        dueTime ?? 0,
        'retry',
        none,
      );
      const ready = task.plan.cluster === 'own' ? attempt.clusterReadyAt : run.sharedClusterReadyAt;
      addEvent(
        attempt.state === 'PENDING' && start !== undefined && ready !== undefined,
        ready ?? 0,
        'cluster',
        none,
      );
    }
    return events;
  });
}

/** A retry that waits for its time has no duration. */
function isWaitingRetry(run: ModelRun): boolean {
  return isPlannedRetry(run) && run.tasks.every((task) => latestAttempt(task).start === undefined);
}

function recordDurationWarning(run: ModelRun, task: ModelTask | undefined): void {
  (task === undefined ? run : latestAttempt(task)).warned = true;
  recordNotification(run, task, 'on_duration_warning_threshold_exceeded');
}

/** Returns the time of the next event; undefined when there is none. */
export function nextDueTime(model: ModelState): number | undefined {
  const times = dueEventsOf(model).map(({ at }) => at);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Advances the time, no further than to the next event, and applies the due events. */
export function advanceTo(model: ModelState, instant: number): void {
  model.now = Math.max(model.now, instant);
  const now = dueEventsOf(model).filter(({ at }) => at <= model.now);
  if (new Set(now.flatMap(({ conflictKey = [] }) => conflictKey)).size > 1) model.ambiguous = true;
  for (const { apply } of now) apply();
  advanceUntilStable(model);
}
