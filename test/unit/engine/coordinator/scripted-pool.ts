/**
 * Task pool without processes: the test decides the end of each attempt. Attempts outlive the coordinators
 * that start them, as processes outlive engines; assigning an attempt a second time attaches to it.
 */
import type { ChildRunLauncher, TaskPool } from '../../../../engine/ports/task-pool.ts';
import type { TaskOutcome, TaskAssignment } from '../../../../engine/run/assignment.ts';

interface ScriptedAttempt {
  readonly outcome: Promise<TaskOutcome>;
  readonly end: (outcome: TaskOutcome) => void;
  stopCount: number;
}

export interface ScriptedPool extends TaskPool {
  /** Every assignment, oldest first. */
  readonly assignments: readonly TaskAssignment[];
  /** Returns the launcher of child runs of a task's latest attempt. */
  childRunsOf(taskKey: string): ChildRunLauncher;
  /** Returns the keys of the tasks that were assigned and have not ended. */
  runningTasks(): string[];
  /** Returns the number of stop requests for the latest attempt of a task. */
  stopCount(taskKey: string): number;
  /** Ends the latest attempt of a task. @throws Error when the task was not assigned */
  endTask(taskKey: string, outcome?: TaskOutcome): void;
  /** Keeps attempts running after a stop request; without it a stop request ends them. */
  ignoreStops: boolean;
  /** Outcome of every attempt as soon as it is assigned. */
  immediateOutcome: TaskOutcome | undefined;
}

export function createScriptedPool(): ScriptedPool {
  const assignments: TaskAssignment[] = [];
  const launchers = new Map<number, ChildRunLauncher>();
  const attempts = new Map<number, ScriptedAttempt>();
  const endedRunIds = new Set<number>();
  const latestAttempt = (taskKey: string): [number, ScriptedAttempt] => {
    const runId = assignments.findLast((assignment) => assignment.taskKey === taskKey)?.runId;
    const attempt = runId === undefined ? undefined : attempts.get(runId);
    if (runId === undefined || attempt === undefined)
      throw new Error(`The task ${taskKey} was not assigned.`);
    return [runId, attempt];
  };
  const createAttempt = (runId: number): ScriptedAttempt => {
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    const end = (outcome: TaskOutcome): void => {
      endedRunIds.add(runId);
      resolve(outcome);
    };
    const attempt = { outcome: promise, end, stopCount: 0 };
    attempts.set(runId, attempt);
    return attempt;
  };
  const pool: ScriptedPool = {
    assignments,
    ignoreStops: false,
    immediateOutcome: undefined,
    run(assignment, launcher) {
      assignments.push(assignment);
      launchers.set(assignment.runId, launcher);
      const attempt = attempts.get(assignment.runId) ?? createAttempt(assignment.runId);
      if (pool.immediateOutcome !== undefined) attempt.end(pool.immediateOutcome);
      return {
        outcome: attempt.outcome,
        stop() {
          attempt.stopCount += 1;
          if (!pool.ignoreStops) attempt.end({ kind: 'stopped' });
        },
      };
    },
    runningTasks() {
      const running = assignments.filter(({ runId }) => !endedRunIds.has(runId));
      return [...new Set(running.map(({ taskKey }) => taskKey))].toSorted();
    },
    childRunsOf(taskKey) {
      const launcher = launchers.get(latestAttempt(taskKey)[0]);
      if (launcher === undefined) throw new Error(`The task ${taskKey} has no launcher of child runs.`);
      return launcher;
    },
    stopCount: (taskKey) => latestAttempt(taskKey)[1].stopCount,
    endTask: (taskKey, outcome = { kind: 'succeeded' }) => latestAttempt(taskKey)[1].end(outcome),
  };
  return pool;
}
