/**
 * A pool without processes: the test says how each attempt ends. Attempts outlive the coordinators that hand
 * them over, as processes outlive engines, and handing one over again attaches to it.
 */
import type { ChildRunLauncher, TaskPool } from '../../../../engine/ports/engine.ts';
import type { TaskOutcome, TaskAssignment } from '../../../../engine/run/assignment.ts';

interface Attempt {
  readonly outcome: Promise<TaskOutcome>;
  readonly end: (outcome: TaskOutcome) => void;
  stops: number;
}

export interface ScriptedPool extends TaskPool {
  /** Every handing over, in order. */
  readonly handed: readonly TaskAssignment[];
  /** What the latest attempt of a task may ask of the engine that drives it. */
  door(taskKey: string): ChildRunLauncher;
  /** Keys of the tasks that were handed over and have not ended. */
  running(): string[];
  /** How often a task was asked to stop. */
  stops(taskKey: string): number;
  /** Ends the attempt of a task. @throws Error when it was not handed over */
  end(taskKey: string, outcome?: TaskOutcome): void;
  /** Attempts that are asked to stop end by themselves unless this is set. */
  stubborn: boolean;
  /** When set, attempts end like this as soon as they are handed over. */
  atOnce: TaskOutcome | undefined;
}

export function createScriptedPool(): ScriptedPool {
  const handed: TaskAssignment[] = [];
  const doors = new Map<number, ChildRunLauncher>();
  const attempts = new Map<number, Attempt>();
  const ended = new Set<number>();
  const attemptOf = (taskKey: string): [number, Attempt] => {
    const runId = handed.findLast((assignment) => assignment.taskKey === taskKey)?.runId;
    const attempt = runId === undefined ? undefined : attempts.get(runId);
    if (runId === undefined || attempt === undefined)
      throw new Error(`The task ${taskKey} was not handed over.`);
    return [runId, attempt];
  };
  const begin = (runId: number): Attempt => {
    const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
    const end = (outcome: TaskOutcome): void => {
      ended.add(runId);
      resolve(outcome);
    };
    const attempt = { outcome: promise, end, stops: 0 };
    attempts.set(runId, attempt);
    return attempt;
  };
  const pool: ScriptedPool = {
    handed,
    stubborn: false,
    atOnce: undefined,
    run(assignment, door) {
      handed.push(assignment);
      doors.set(assignment.runId, door);
      const attempt = attempts.get(assignment.runId) ?? begin(assignment.runId);
      if (pool.atOnce !== undefined) attempt.end(pool.atOnce);
      return {
        outcome: attempt.outcome,
        stop() {
          attempt.stops += 1;
          if (!pool.stubborn) attempt.end({ kind: 'stopped' });
        },
      };
    },
    running: () =>
      [...new Set(handed.filter(({ runId }) => !ended.has(runId)).map(({ taskKey }) => taskKey))].toSorted(),
    door(taskKey) {
      const door = doors.get(attemptOf(taskKey)[0]);
      if (door === undefined) throw new Error(`The task ${taskKey} was handed over without a door.`);
      return door;
    },
    stops: (taskKey) => attemptOf(taskKey)[1].stops,
    end: (taskKey, outcome = { kind: 'succeeded' }) => attemptOf(taskKey)[1].end(outcome),
  };
  return pool;
}
