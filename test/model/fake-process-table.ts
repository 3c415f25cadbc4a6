/**
 * Processes of attempts that outlive engines. Running an attempt again attaches to its process; the test
 * decides how each process ends.
 */
import type { TaskPool } from '../../engine/ports/task-pool.ts';
import type { TaskOutcome, TaskAssignment } from '../../engine/run/assignment.ts';

export interface FakeProcess {
  readonly assignment: TaskAssignment;
  readonly outcome: Promise<TaskOutcome>;
  end(outcome: TaskOutcome): void;
  /** True after a stop request. The process runs until the test ends it. */
  stopping: boolean;
  ended: boolean;
}

export interface FakeProcessTable {
  /** Processes by attempt id. */
  readonly processes: ReadonlyMap<number, FakeProcess>;
  /** Creates the pool of one engine; after a crash it starts and stops no process. */
  createPool(isDead: () => boolean): TaskPool;
}

/** @param started called once per attempt, when its process starts */
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
