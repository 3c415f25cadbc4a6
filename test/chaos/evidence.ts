/**
 * What the checker looks at: the tables, the files that tasks left, the process table, and what clients were
 * told. Plain data.
 */
import type { Selectable } from 'kysely';
import { tasksOf } from '../../engine/job/job-format.ts';
import type { TaskSettings } from '../../engine/job/settings.ts';
import type { RunRow, TaskRunRow } from '../../storage/postgres/runs/run-rows.ts';
import type { ClusterTable } from '../../storage/postgres/clusters/cluster-schema.ts';
import type { OutboxTable } from '../../storage/postgres/outbox/notification-schema.ts';
import type { IdempotencyTokenTable, JobTable, RepairTable } from '../../storage/postgres/schema.ts';
import type { AcknowledgedRun } from './client-ledger.ts';

/** What the program of an attempt wrote down about itself. */
export interface ProgramRecord {
  /** One for each process that ran. */
  readonly starts: readonly { readonly pid: number; readonly at: number }[];
  /** Its last words, with the hashes (sha-256) of what it wrote; undefined when it was ended before. */
  readonly end:
    | { readonly at: number; readonly code: number; readonly stdout: string; readonly stderr: string }
    | undefined;
  /** When it was last seen alive, epoch ms. */
  readonly lastSeenAlive: number;
}

export interface Evidence {
  readonly jobs: readonly Selectable<JobTable>[];
  readonly runs: readonly RunRow[];
  readonly attempts: readonly TaskRunRow[];
  readonly repairs: readonly Selectable<RepairTable>[];
  readonly outboxEvents: readonly Selectable<OutboxTable>[];
  /** The notice that each is of. */
  readonly deliveries: readonly { readonly outbox_event_id: number | null }[];
  readonly clusters: readonly Selectable<ClusterTable>[];
  readonly tokens: readonly Selectable<IdempotencyTokenTable>[];
  /** By attempt. */
  readonly programRecords: ReadonlyMap<number, ProgramRecord>;
  /** Hashes of the log files, by attempt. */
  readonly logs: ReadonlyMap<number, { readonly stdout: string; readonly stderr: string }>;
  /** Processes that carry the mark of an attempt and are alive. */
  readonly liveProcesses: readonly {
    readonly pid: number;
    readonly attempt: number;
    readonly command: string;
  }[];
  readonly acknowledged: readonly AcknowledgedRun[];
  /** Runs whose cancel was acknowledged. */
  readonly cancelledRuns: ReadonlySet<number>;
  /** Attempts of which the suite killed a process. */
  readonly killedAttempts: ReadonlySet<number>;
  readonly unexpectedResponses: readonly string[];
}

/** Called for each thing that is looked at; `what` says what is wrong with it when it is not sound. */
export type ReportCheck = (sound: boolean, runId: number | undefined, what: () => string) => void;

export type Invariant = (evidence: Evidence, look: ReportCheck) => void;

/** The settings of the task of an attempt. @throws Error when there are none */
export function taskSettingsOf(run: RunRow, { task_key: key }: Pick<TaskRunRow, 'task_key'>): TaskSettings {
  const found = tasksOf(run.settings).find((task) => task.task_key === key);
  if (found === undefined) throw new Error(`Run ${run.run_id} has no task ${key}.`);
  return found;
}

/** Values by a key, in the order in which they come. */
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

/**
 * The rounds of a run, oldest first: when each began and ended, and as what. A run that was withdrawn from
 * the queue has none, nor has a skipped one.
 */
export interface RoundPeriod {
  readonly start: number;
  readonly end: number | undefined;
  readonly state: RunRow['state'];
  readonly result: RunRow['result'];
}

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

/** In which round of its run an attempt was made: 0 for the first. */
export function roundIndexOf(attempt: TaskRunRow, { repairs }: Pick<Evidence, 'repairs'>): number {
  return repairs.filter((repair) => repair.run_id === attempt.job_run_id && repair.repair_id < attempt.run_id)
    .length;
}

/** Whether a run ended without ever taking a place: skipped at once, or withdrawn from the queue. */
export function wasNeverAdmitted(run: RunRow): boolean {
  return (
    run.state === 'SKIPPED' ||
    run.queue_code !== null ||
    (run.state === 'TERMINATED' && run.terminating_time === null && run.repair_id === null)
  );
}

/**
 * Why a run was stopped, if it was. A timeout that strikes while the database is away stops the run all the
 * same; then the result alone says so, and a cancel that is noted later changes nothing.
 */
export function stopReasonOf({ stop_reason: noted, result }: RunRow): RunRow['stop_reason'] {
  return result === 'TIMEDOUT' ? 'timeout' : noted;
}
