/** Conversion between rows of runs and task runs and the engine's types. */
import { sql, type Selectable } from 'kysely';
import type { JobSettings } from '../../../engine/job/settings.ts';
import type { Progress, Run, TaskRun } from '../../../engine/run/run.ts';
import type { RunTable, TaskRunTable } from '../schema.ts';

/** Row of a run with its settings: those of its own, or those that it shares with the runs of its revision. */
export type RunRow = Omit<Selectable<RunTable>, 'settings' | 'settings_revision'> & {
  readonly settings: JobSettings;
};
export type TaskRunRow = Selectable<TaskRunTable>;

export type ProgressRow = Pick<
  RunRow,
  'state' | 'result' | 'message' | 'start_time' | 'running_time' | 'terminating_time' | 'end_time'
> &
  Partial<Pick<RunRow, 'explanation'>>;

/** The columns of a `RunRow` without its settings. */
export const runColumns = [
  'runs.run_id',
  'runs.job_id',
  'runs.number_in_job',
  'runs.format',
  'runs.api_version',
  'runs.name',
  'runs.run_type',
  'runs.trigger',
  'runs.scheduled_time',
  'runs.creator',
  'runs.overriding_parameters',
  'runs.original_attempt_run_id',
  'runs.attempt',
  'runs.stop_reason',
  'runs.stop_request',
  'runs.stop_message',
  'runs.owner',
  'runs.repair_id',
  'runs.repair_count',
  'runs.repair_start_time',
  'runs.earlier_duration',
  'runs.queue_code',
  'runs.admitted_time',
  'runs.launched_by',
  'runs.parent_task_run_id',
  'runs.timeout_revision',
  'runs.warned_time',
  'runs.parallel_task_runs',
  'runs.parallel_run_job_tasks',
  'runs.state',
  'runs.active',
  'runs.result',
  'runs.message',
  'runs.start_time',
  'runs.running_time',
  'runs.terminating_time',
  'runs.end_time',
  'runs.fence',
  'runs.explanation',
  'runs.cause_code',
] as const;

/** The settings of a run in SQL. */
export const runSettings = sql<JobSettings>`coalesce(runs.settings, (
  select shared.settings from job_settings as shared
  where shared.job_id = runs.job_id and shared.revision = runs.settings_revision))`;

/** The same with the settings, for RETURNING. */
export const returnedRunColumns = sql`${sql.join(runColumns.map((name) => sql.ref(name)))}, ${runSettings} as settings`;

/** Converts the progress columns. @throws Error for a row that violates the CHECKs of the table */
export function progressOf(row: ProgressRow): Progress {
  const stamps = {
    startTime: row.start_time ?? undefined,
    runningTime: row.running_time ?? undefined,
    terminatingTime: row.terminating_time ?? undefined,
    message: row.message,
    ...(row.explanation && { explanation: row.explanation }),
  };
  const { state, result, end_time: endTime } = row;
  switch (state) {
    case 'QUEUED':
    case 'PENDING':
    case 'RUNNING':
      return { ...stamps, state };
    case 'TERMINATING':
      return { ...stamps, state, result: requireColumn(result, 'result') };
    case 'TERMINATED':
      return {
        ...stamps,
        state,
        result: requireColumn(result, 'result'),
        endTime: requireColumn(endTime, 'end_time'),
      };
    case 'SKIPPED':
      return { ...stamps, state, endTime: requireColumn(endTime, 'end_time') };
    case 'INTERNAL_ERROR':
      return { ...stamps, state, result: result ?? undefined, endTime: requireColumn(endTime, 'end_time') };
    default:
      return state satisfies never;
  }
}

export function runOf(row: RunRow): Run {
  return {
    runId: row.run_id,
    jobId: row.job_id,
    numberInJob: row.number_in_job,
    format: row.format,
    version: row.api_version,
    name: row.name,
    type: row.run_type,
    trigger: row.trigger,
    scheduledTime: row.scheduled_time ?? undefined,
    creatorUserName: row.creator === '' ? undefined : row.creator,
    settings: row.settings,
    overridingParameters: row.overriding_parameters ?? undefined,
    originalAttemptRunId: row.original_attempt_run_id,
    attempt: row.attempt,
    stopReason: row.stop_reason ?? undefined,
    stopRequest: row.stop_request ?? undefined,
    stopMessage: row.stop_message ?? undefined,
    owner: row.owner ?? undefined,
    fence: row.fence,
    parallelTasks:
      row.parallel_task_runs === null
        ? undefined
        : { taskRuns: row.parallel_task_runs, runJobTasks: row.parallel_run_job_tasks ?? 0 },
    repair:
      row.repair_id === null
        ? undefined
        : {
            repairId: row.repair_id,
            count: requireColumn(row.repair_count, 'repair_count'),
            startTime: requireColumn(row.repair_start_time, 'repair_start_time'),
            earlierDuration: requireColumn(row.earlier_duration, 'earlier_duration'),
          },
    admittedTime: row.admitted_time ?? undefined,
    launchedBy: row.launched_by ?? undefined,
    parentTaskRun: row.parent_task_run_id ?? undefined,
    timeoutRevision: row.timeout_revision,
    warned: row.warned_time !== null,
    progress: progressOf(row),
  };
}

export function taskRunOf(row: TaskRunRow): TaskRun {
  return {
    runId: row.run_id,
    jobRunId: row.job_run_id,
    taskKey: row.task_key,
    attempt: row.attempt,
    fence: row.fence,
    clusterId: row.cluster_id ?? undefined,
    sparkContextId: row.spark_context_id ?? undefined,
    dueTime: row.due_time ?? undefined,
    stopReason: row.stop_reason ?? undefined,
    warned: row.warned_time !== null,
    progress: progressOf(row),
  };
}

/** Returns the row of a new attempt that waits. */
export function attemptRow({ runId, jobRunId, taskKey, attempt, fence, dueTime, progress }: TaskRun) {
  return {
    run_id: runId,
    job_run_id: jobRunId,
    task_key: taskKey,
    attempt,
    fence,
    due_time: dueTime ?? null,
    state: progress.state,
    active: true,
    result: null,
    message: progress.message,
    cluster_id: null,
    spark_context_id: null,
    start_time: null,
    running_time: null,
    terminating_time: null,
    end_time: null,
  };
}

function requireColumn<Value>(value: Value | null, column: string): Value {
  if (value === null) throw new Error(`A stored run has no ${column} where it must have one.`);
  return value;
}
