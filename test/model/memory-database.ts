/** In-memory tables with the columns of the database, serial transactions and writes with preconditions. */
import type { ChangeSet } from '../../engine/ports/runs.ts';
import type { Job } from '../../engine/ports/jobs.ts';
import type { RunNotification } from '../../engine/run/notification.ts';
import type { Cluster } from '../../engine/cluster/cluster.ts';
import type { StateChange } from '../../engine/run/step.ts';
import { isTerminal } from '../../engine/run/states.ts';
import type { RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import {
  attemptRow,
  runOf,
  taskRunOf,
  type RunRow,
  type TaskRunRow,
} from '../../storage/postgres/runs/run-rows.ts';

export interface JobRow {
  readonly job: Job;
  readonly hidden: boolean;
  readonly runsStarted: number;
}

/** Rows are immutable: a copy of the maps is a snapshot. */
export interface Tables {
  jobs: Map<number, JobRow>;
  runs: Map<number, RunRow>;
  taskRuns: Map<number, TaskRunRow>;
  /** Run by scope and token. */
  tokens: Map<string, number>;
  clusters: Map<string, Cluster>;
  notifications: readonly RunNotification[];
}

export interface MemoryDatabase {
  readonly tables: Tables;
  /** Returns the next id of a run or task run; ids are never reused. */
  nextId(): number;
  /** Runs `steps` exclusively; an exception rolls back its changes. */
  transaction<Result>(steps: () => Result | Promise<Result>): Promise<Result>;
}

/** @param firstId first run id; far from the job ids, which reveals mixed-up ids */
export function createMemoryDatabase(firstId = 1_001): MemoryDatabase {
  const tables: Tables = {
    jobs: new Map(),
    runs: new Map(),
    taskRuns: new Map(),
    tokens: new Map(),
    clusters: new Map(),
    notifications: [],
  };
  let id = firstId - 1;
  let last: Promise<unknown> = Promise.resolve();
  return {
    tables,
    nextId: () => (id += 1),
    transaction(steps) {
      const result = last.then(async () => {
        const { jobs, runs, taskRuns, tokens, clusters, notifications } = tables;
        const before: Tables = {
          jobs: new Map(jobs),
          runs: new Map(runs),
          taskRuns: new Map(taskRuns),
          tokens: new Map(tokens),
          clusters: new Map(clusters),
          notifications,
        };
        try {
          return await steps();
        } catch (error) {
          Object.assign(tables, before);
          throw error;
        }
      });
      last = result.catch(() => undefined);
      return result;
    },
  };
}

/** A run with its attempts, by task and oldest first. */
export function withTasks(tables: Tables, row: RunRow): RunWithTasks {
  const tasks = [...tables.taskRuns.values()]
    .filter((task) => task.job_run_id === row.run_id)
    .toSorted(
      (one, other) =>
        (one.task_key < other.task_key ? -1 : Number(one.task_key > other.task_key)) ||
        one.attempt - other.attempt,
    );
  return { run: runOf(row), tasks: tasks.map(taskRunOf) };
}

/** The columns of a run or task run that a step may move. */
type StateColumns = Pick<
  RunRow,
  | 'state'
  | 'active'
  | 'result'
  | 'message'
  | 'start_time'
  | 'running_time'
  | 'terminating_time'
  | 'end_time'
  | 'warned_time'
>;

function applyStateChange(row: StateColumns, change: StateChange): StateColumns {
  return {
    state: change.to,
    active: !isTerminal(change.to),
    result: change.result ?? row.result,
    message: change.message ?? row.message,
    start_time: change.startTime ?? row.start_time,
    running_time: change.runningTime ?? row.running_time,
    terminating_time: change.terminatingTime ?? row.terminating_time,
    end_time: change.endTime ?? row.end_time,
    warned_time: change.warned === true ? (row.warned_time ?? change.at) : row.warned_time,
  };
}

/** Writes all changes, notifications and attempts of a set; writes nothing when a precondition fails. */
export function writeChangeSet(
  tables: Tables,
  { changes, notifications, attempts = [] }: ChangeSet,
): 'written' | 'refused' {
  const rowOf = ({ kind, runId }: StateChange) => (kind === 'run' ? tables.runs : tables.taskRuns).get(runId);
  // Changes of one row are applied one after the other.
  const expected = changes.every((change, index) => {
    const before = changes
      .slice(0, index)
      .findLast(({ kind, runId }) => kind === change.kind && runId === change.runId);
    return (before?.to ?? rowOf(change)?.state) === change.from && rowOf(change)?.fence === change.fence;
  });
  if (!expected) return 'refused';
  for (const change of changes) {
    const [run, task] =
      change.kind === 'run'
        ? [tables.runs.get(change.runId), undefined]
        : [undefined, tables.taskRuns.get(change.runId)];
    if (run !== undefined) {
      tables.runs.set(
        run.run_id,
        assertConstraints({
          ...run,
          ...applyStateChange(run, change),
          queue_code: change.to === 'QUEUED' ? run.queue_code : null,
        }),
      );
    }
    if (task !== undefined) {
      tables.taskRuns.set(
        task.run_id,
        assertConstraints({
          ...task,
          ...applyStateChange(task, change),
          cluster_id: change.clusterId ?? task.cluster_id,
          spark_context_id: change.sparkContextId ?? task.spark_context_id,
        }),
      );
    }
  }
  for (const attempt of attempts) insertTaskRun(tables, attemptTaskRow(attempt));
  tables.notifications = [...tables.notifications, ...notifications];
  return 'written';
}

/** Columns of a row that has no explanation. */
export const noExplanation = { explanation: null, cause_code: null } as const;

/** The row of a new attempt. */
export function attemptTaskRow(attempt: TaskRun): TaskRunRow {
  return { ...attemptRow(attempt), stop_reason: null, warned_time: null, ...noExplanation };
}

export function insertTaskRun(tables: Tables, row: TaskRunRow): void {
  for (const { run_id, job_run_id, task_key, attempt } of tables.taskRuns.values()) {
    if (
      run_id === row.run_id ||
      (job_run_id === row.job_run_id && task_key === row.task_key && attempt === row.attempt)
    ) {
      throw new Error(`The attempt ${row.attempt} of the task ${row.task_key} already exists.`);
    }
  }
  tables.taskRuns.set(row.run_id, assertConstraints(row));
}

export function insertRun(tables: Tables, row: RunRow): void {
  for (const { run_id, job_id, number_in_job, launched_by } of tables.runs.values()) {
    if (run_id === row.run_id || (job_id === row.job_id && number_in_job === row.number_in_job))
      throw new Error(`The run ${row.number_in_job} already exists.`);
    if (row.launched_by !== null && launched_by === row.launched_by)
      throw new Error(`The task run ${launched_by} has already started a run.`);
  }
  tables.runs.set(row.run_id, assertConstraints(row));
}

/** The CHECKs of storage/migrations that rows of runs and task runs share. */
function assertConstraints<Row extends StateColumns>(row: Row): Row {
  const {
    state,
    result,
    active,
    start_time: start,
    running_time: running,
    terminating_time: terminating,
    end_time: end,
  } = row;
  const hasNoResult = ['QUEUED', 'PENDING', 'RUNNING', 'SKIPPED'].includes(state);
  const times = [start, running, terminating, end].filter((time) => time !== null);
  const holds =
    active === !isTerminal(state) &&
    (end === null) === active &&
    (hasNoResult ? result === null : result !== null || state === 'INTERNAL_ERROR') &&
    times.every((time, index) => time >= (times[index - 1] ?? 0));
  if (!holds) throw new Error(`The row violates a constraint of its table: ${JSON.stringify(row)}`);
  return row;
}
