/**
 * Processes of attempts that outlive engines: handing an attempt over again attaches to its process, and the
 * test says how each ends.
 */
import type { TaskPool } from '../../engine/ports/engine.ts';
import type { TaskOutcome, TaskAssignment } from '../../engine/run/assignment.ts';

export interface Process {
  readonly assignment: TaskAssignment;
  readonly outcome: Promise<TaskOutcome>;
  end(outcome: TaskOutcome): void;
  /** Asked to end. It goes on until the test ends it. */
  stopping: boolean;
  over: boolean;
}

export interface ProcessTable {
  /** By the id of the attempt. */
  readonly processes: ReadonlyMap<number, Process>;
  /** The pool of one engine; a dead one starts and stops nothing. */
  pool(isDead: () => boolean): TaskPool;
}

/** @param started called when a process starts, which happens once for each attempt */
export function createProcessTable(
  started: (assignment: TaskAssignment) => void = () => undefined,
): ProcessTable {
  const processes = new Map<number, Process>();
  const start = (assignment: TaskAssignment): Process => {
    const { promise: outcome, resolve } = Promise.withResolvers<TaskOutcome>();
    const process: Process = {
      assignment,
      outcome,
      stopping: false,
      over: false,
      end(how) {
        process.over = true;
        resolve(how);
      },
    };
    processes.set(assignment.runId, process);
    started(assignment);
    return process;
  };
  return {
    processes,
    pool: (isDead) => ({
      run(assignment) {
        if (isDead()) return { outcome: new Promise(() => undefined), stop: () => undefined };
        const process = processes.get(assignment.runId) ?? start(assignment);
        return {
          outcome: process.outcome,
          stop() {
            process.stopping ||= !isDead();
          },
        };
      },
    }),
  };
}
