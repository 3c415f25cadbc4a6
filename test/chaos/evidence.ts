/** Input of the invariants as plain data: tables, files of tasks, the process table and client responses. */
import type { Selectable } from 'kysely';
import { tasksOf } from '../../engine/job/job-format.ts';
import type { TaskSettings } from '../../engine/job/settings.ts';
import type { RunRow, TaskRunRow } from '../../storage/postgres/runs/run-rows.ts';
import type { ClusterTable } from '../../storage/postgres/clusters/cluster-schema.ts';
import type { OutboxTable } from '../../storage/postgres/outbox/notification-schema.ts';
import type { IdempotencyTokenTable, JobTable, RepairTable } from '../../storage/postgres/schema.ts';
import type { AcknowledgedRun } from './client-ledger.ts';

/** Record that the program of an attempt wrote about itself. */
export interface ProgramRecord {
  /** One entry per process. */
  readonly starts: readonly { readonly pid: number; readonly at: number }[];
  /** Exit of the program with SHA-256 hashes of its output; undefined when it was ended before. */
  readonly end:
    | { readonly at: number; readonly code: number; readonly stdout: string; readonly stderr: string }
    | undefined;
  /** Last time at which the program was alive, epoch ms. */
  readonly lastSeenAlive: number;
}

export interface Evidence {
  readonly jobs: readonly Selectable<JobTable>[];
  readonly runs: readonly RunRow[];
  readonly attempts: readonly TaskRunRow[];
  readonly repairs: readonly Selectable<RepairTable>[];
  readonly outboxEvents: readonly Selectable<OutboxTable>[];
  /** Outbox event of each delivery. */
  readonly deliveries: readonly { readonly outbox_event_id: number | null }[];
  readonly clusters: readonly Selectable<ClusterTable>[];
  readonly tokens: readonly Selectable<IdempotencyTokenTable>[];
  /** By attempt. */
  readonly programRecords: ReadonlyMap<number, ProgramRecord>;
  /** Hashes of the log files, by attempt. */
  readonly logs: ReadonlyMap<number, { readonly stdout: string; readonly stderr: string }>;
  /** Living processes whose environment names an attempt. */
  readonly liveProcesses: readonly {
    readonly pid: number;
    readonly attempt: number;
    readonly command: string;
  }[];
  readonly acknowledged: readonly AcknowledgedRun[];
  /** Runs whose cancel was acknowledged. */
  readonly cancelledRuns: ReadonlySet<number>;
  /** Attempts with a process that the suite killed. */
  readonly killedAttempts: ReadonlySet<number>;
  readonly unexpectedResponses: readonly string[];
}

/** Reports one check; `describe` returns the violation when the check does not hold. */
export type ReportCheck = (holds: boolean, runId: number | undefined, describe: () => string) => void;

export type Invariant = (evidence: Evidence, check: ReportCheck) => void;

/** Returns the task settings of an attempt. @throws Error when the run has no such task */
export function taskSettingsOf(run: RunRow, { task_key: key }: Pick<TaskRunRow, 'task_key'>): TaskSettings {
  const found = tasksOf(run.settings).find((task) => task.task_key === key);
  if (found === undefined) throw new Error(`Run ${run.run_id} has no task ${key}.`);
  return found;
}

/** Groups values by a key and keeps their order. */
export function groupBy<Value, Key>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

export function indexByRunId<Row extends { readonly run_id: number }>(
  rows: readonly Row[],
): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.run_id, row]));
}

/** First execution of a run or one of its repairs. */
export interface RoundPeriod {
  readonly start: number;
  readonly end: number | undefined;
  readonly state: RunRow['state'];
  readonly result: RunRow['result'];
}

/** Returns the rounds of a run, oldest first. */
export function roundsOf(run: RunRow, { repairs }: Pick<Evidence, 'repairs'>): RoundPeriod[] {
  const own = repairs
    .filter((repair) => repair.run_id === run.run_id)
    .toSorted((one, other) => one.repair_id - other.repair_id);
  const starts = [run.admitted_time ?? run.start_time ?? 0, ...own.map((repair) => repair.start_time)];
  const ends = [
    ...own.map((repair) => ({
      end: repair.ended_time,
      state: repair.ended_state,
      result: repair.ended_result,
    })),
    { end: run.end_time ?? undefined, state: run.state, result: run.result },
  ];
  return ends.map((end, index) => ({ ...end, start: starts[index] ?? 0 }));
}

/** Returns the round of an attempt within its run: 0 for the first. */
export function roundIndexOf(attempt: TaskRunRow, { repairs }: Pick<Evidence, 'repairs'>): number {
  return repairs.filter((repair) => repair.run_id === attempt.job_run_id && repair.repair_id < attempt.run_id)
    .length;
}

/** Returns true for a run that never used capacity: skipped at launch, or withdrawn from the queue. */
export function wasNeverAdmitted(run: RunRow): boolean {
  return (
    run.state === 'SKIPPED' ||
    run.queue_code !== null ||
    (run.state === 'TERMINATED' && run.terminating_time === null && run.repair_id === null)
  );
}

/**
 * Returns the reason for which a run was stopped. A timeout also stops the run while the database is
 * unreachable; then only the result shows it, and a cancel that is stored later has no effect.
 */
export function stopReasonOf({ stop_reason: stopReason, result }: RunRow): RunRow['stop_reason'] {
  return result === 'TIMEDOUT' ? 'timeout' : stopReason;
}
