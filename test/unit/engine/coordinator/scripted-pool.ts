/**
 * A pool without processes: the test says how each attempt ends. Attempts outlive the coordinators that hand
 * them over, as processes outlive engines, and handing one over again attaches to it.
 */
import type { ChildRunLauncher, TaskPool } from '../../../../engine/ports/task-pool.ts';
import type { TaskOutcome, TaskAssignment } from '../../../../engine/run/assignment.ts';

interface ScriptedAttempt {
  readonly outcome: Promise<TaskOutcome>;
  readonly end: (outcome: TaskOutcome) => void;
  stopCount: number;
}

export interface ScriptedPool extends TaskPool {
  /** Every handing over, in order. */
  readonly assignments: readonly TaskAssignment[];
  /** What the latest attempt of a task may ask of the engine that drives it. */
  childRunsOf(taskKey: string): ChildRunLauncher;
  /** Keys of the tasks that were handed over and have not ended. */
  runningTasks(): string[];
  /** How often a task was asked to stop. */
  stopCount(taskKey: string): number;
  /** Ends the attempt of a task. @throws Error when it was not handed over */
  endTask(taskKey: string, outcome?: TaskOutcome): void;
  /** Attempts that are asked to stop end by themselves unless this is set. */
  ignoreStops: boolean;
  /** When set, attempts end like this as soon as they are handed over. */
  immediateOutcome: TaskOutcome | undefined;
}

export function createScriptedPool(): ScriptedPool {
  const handed: TaskAssignment[] = [];
  const launchers = new Map<number, ChildRunLauncher>();
  const attempts = new Map<number, ScriptedAttempt>();
  const ended = new Set<number>();
  const attemptOf = (taskKey: string): [number, ScriptedAttempt] => {
    const runId = handed.findLast((assignment) => assignment.taskKey === taskKey)?.runId;
    const attempt = runId === undefined ? undefined : attempts.get(runId);
    if (runId === undefined || attempt === undefined)
      throw new Error(`The task ${taskKey} was not handed over.`);
    return [runId, attempt];
  };
  const begin = (runId: number): ScriptedAttempt => {
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    const end = (outcome: TaskOutcome): void => {
      ended.add(runId);
      resolve(outcome);
    };
    const attempt = { outcome: promise, end, stopCount: 0 };
    attempts.set(runId, attempt);
    return attempt;
  };
  const pool: ScriptedPool = {
    assignments: handed,
    ignoreStops: false,
    immediateOutcome: undefined,
    run(assignment, launcher) {
      handed.push(assignment);
      launchers.set(assignment.runId, launcher);
      const attempt = attempts.get(assignment.runId) ?? begin(assignment.runId);
      if (pool.immediateOutcome !== undefined) attempt.end(pool.immediateOutcome);
      return {
        outcome: attempt.outcome,
        stop() {
          attempt.stopCount += 1;
          if (!pool.ignoreStops) attempt.end({ kind: 'stopped' });
        },
      };
    },
    runningTasks: () =>
      [...new Set(handed.filter(({ runId }) => !ended.has(runId)).map(({ taskKey }) => taskKey))].toSorted(),
    childRunsOf(taskKey) {
      const launcher = launchers.get(attemptOf(taskKey)[0]);
      if (launcher === undefined) throw new Error(`The task ${taskKey} has no launcher of child runs.`);
      return launcher;
    },
    stopCount: (taskKey) => attemptOf(taskKey)[1].stopCount,
    endTask: (taskKey, outcome = { kind: 'succeeded' }) => attemptOf(taskKey)[1].end(outcome),
  };
  return pool;
}
