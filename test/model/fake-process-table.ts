/**
 * Processes of attempts that outlive engines: handing an attempt over again attaches to its process, and the
 * test says how each ends.
 */
import type { TaskPool } from '../../engine/ports/task-pool.ts';
import type { TaskOutcome, TaskAssignment } from '../../engine/run/assignment.ts';

export interface FakeProcess {
  readonly assignment: TaskAssignment;
  readonly outcome: Promise<TaskOutcome>;
  end(outcome: TaskOutcome): void;
  /** Asked to end. It goes on until the test ends it. */
  stopping: boolean;
  ended: boolean;
}

export interface FakeProcessTable {
  /** By the id of the attempt. */
  readonly processes: ReadonlyMap<number, FakeProcess>;
  /** The pool of one engine; a dead one starts and stops nothing. */
  createPool(isDead: () => boolean): TaskPool;
}

/** @param started called when a process starts, which happens once for each attempt */
export function createFakeProcessTable(
  started: (assignment: TaskAssignment) => void = () => undefined,
): FakeProcessTable {
  const processes = new Map<number, FakeProcess>();
  const start = (assignment: TaskAssignment): FakeProcess => {
    const { promise: outcome, resolve } = Promise.withResolvers<TaskOutcome>();
    const process: FakeProcess = {
      assignment,
      outcome,
      stopping: false,
      ended: false,
      end(how) {
        process.ended = true;
        resolve(how);
      },
    };
    processes.set(assignment.runId, process);
    started(assignment);
    return process;
  };
  return {
    processes,
    createPool: (isDead) => ({
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
