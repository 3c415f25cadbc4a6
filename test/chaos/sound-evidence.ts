/** Evidence that breaks no invariant; tests of the checker change parts of it. */
import type { JobSettings } from '../../engine/job/settings.ts';
import type { NotificationEvent } from '../../engine/run/notification.ts';
import type { RunRow, TaskRunRow } from '../../storage/postgres/runs/run-rows.ts';
import type { Evidence, ProgramRecord } from './evidence.ts';

const python = { spark_python_task: { python_file: 'managed_fs:/x.py' }, existing_cluster_id: 'c' };
export const singleTaskJob: JobSettings = {
  ...python,
  name: 'single',
  max_concurrent_runs: 1,
  max_retries: 1,
  min_retry_interval_millis: 100,
  email_notifications: {
    on_start: ['start@x'],
    on_success: ['success@x'],
    on_failure: ['failure@x'],
    on_duration_warning_threshold_exceeded: ['slow@x'],
  },
  health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 5 }] },
};
export const multiTaskJob: JobSettings = {
  name: 'several',
  max_concurrent_runs: 2,
  tasks: [
    { ...python, task_key: 'a', max_retries: 1 },
    {
      task_key: 'b',
      run_job_task: { job_id: 1 },
      depends_on: [{ task_key: 'a' }],
      email_notifications: { on_success: ['b@x'] },
    },
  ],
};

const stateColumns = (
  from: number,
  state: RunRow['state'] = 'TERMINATED',
  result: RunRow['result'] = 'SUCCESS',
) => ({
  state,
  result,
  active: false,
  message: '',
  fence: 1,
  start_time: from,
  running_time: from + 10,
  terminating_time: from + 50,
  end_time: from + 60,
  stop_reason: null,
  warned_time: null,
  explanation: null,
  cause_code: null,
});

const runRow = (
  id: number,
  job: number,
  number: number,
  from: number,
  more: Partial<RunRow> = {},
): RunRow => ({
  ...stateColumns(from),
  run_id: id,
  job_id: job,
  number_in_job: number,
  format: job === 2 ? 'MULTI_TASK' : 'SINGLE_TASK',
  api_version: '2.1',
  name: '',
  run_type: 'JOB_RUN',
  trigger: 'ONE_TIME',
  creator: 'admin',
  settings: job === 2 ? multiTaskJob : singleTaskJob,
  overriding_parameters: null,
  original_attempt_run_id: id,
  attempt: 0,
  parallel_task_runs: null,
  parallel_run_job_tasks: null,
  stop_message: null,
  owner: 'node',
  repair_id: null,
  repair_count: null,
  repair_start_time: null,
  earlier_duration: null,
  queue_code: null,
  admitted_time: null,
  launched_by: null,
  parent_task_run_id: null,
  scheduled_time: null,
  timeout_revision: 0,
  stop_request: null,
  ...more,
});

export const taskRow = (
  id: number,
  run: number,
  key: string,
  from: number,
  more: Partial<TaskRunRow> = {},
): TaskRunRow => ({
  ...stateColumns(from),
  run_id: id,
  job_run_id: run,
  task_key: key,
  attempt: 0,
  cluster_id: null,
  spark_context_id: null,
  due_time: null,
  ...more,
});

const programRecord = (from: number, code: number): ProgramRecord => ({
  starts: [{ pid: from, at: from + 20 }],
  end: { at: from + 40, code, stdout: `out ${from}`, stderr: `err ${from}` },
  lastSeenAlive: from + 40,
});
const log = (from: number) => ({ stdout: `out ${from}`, stderr: `err ${from}` });

export const outboxEvent = (
  event: NotificationEvent,
  recipient: string,
  run: number,
  task: string | null = null,
): Evidence['outboxEvents'][number] => ({
  outbox_event_id: 0,
  event,
  channel: 'email',
  recipient,
  job_id: 1,
  run_id: run,
  task_key: task,
  created_time: 0,
  facts: {},
  dispatched_time: 1,
});

export const jobRow = (jobId: number, settings: JobSettings, started: number): Evidence['jobs'][number] => ({
  job_id: jobId,
  creator: 'admin',
  created_time: 0,
  name: '',
  api_version: '2.1',
  format: jobId === 2 ? 'MULTI_TASK' : 'SINGLE_TASK',
  settings,
  hidden: false,
  runs_started: started,
  settings_revision: 1,
  deleted_time: null,
});

const failed = { result: 'FAILED' } as const;

/**
 * Run 10 of job 1 failed; run 11 is its retry. In run 20 of job 2, task a failed (21) and was retried (23);
 * task b (22) failed, its child run 12 of job 1 was canceled. A repair reran b (25), which started run 13.
 */
export const soundEvidence: Evidence = {
  jobs: [jobRow(1, singleTaskJob, 4), jobRow(2, multiTaskJob, 1)],
  runs: [
    runRow(10, 1, 1, 1_000, failed),
    runRow(11, 1, 2, 1_200, { attempt: 1, original_attempt_run_id: 10, trigger: 'RETRY' }),
    runRow(20, 2, 1, 1_000, {
      repair_id: 24,
      repair_count: 1,
      repair_start_time: 3_000,
      earlier_duration: 1_000,
      running_time: 3_010,
      terminating_time: 4_050,
      end_time: 4_060,
    }),
    runRow(12, 1, 3, 1_600, { launched_by: 22, stop_reason: 'cancel', result: 'CANCELED' }),
    runRow(13, 1, 4, 3_300, { launched_by: 25 }),
  ],
  attempts: [
    taskRow(10, 10, 'main', 1_000, failed),
    taskRow(11, 11, 'main', 1_200),
    taskRow(21, 20, 'a', 1_000, failed),
    taskRow(23, 20, 'a', 1_100, { attempt: 1 }),
    taskRow(22, 20, 'b', 1_500, { ...failed, end_time: 1_900 }),
    taskRow(25, 20, 'b', 3_200, { attempt: 1, end_time: 4_000 }),
    taskRow(12, 12, 'main', 1_600, { result: 'CANCELED' }),
    taskRow(13, 13, 'main', 3_300),
  ],
  repairs: [
    {
      repair_id: 24,
      run_id: 20,
      start_time: 3_000,
      ended_state: 'TERMINATED',
      ended_result: 'FAILED',
      ended_message: '',
      ended_time: 2_000,
      ended_explanation: null,
      earlier_parameters: null,
      earlier_settings: null,
    },
  ],
  outboxEvents: [
    outboxEvent('on_start', 'start@x', 10),
    outboxEvent('on_failure', 'failure@x', 10),
    outboxEvent('on_start', 'start@x', 11),
    outboxEvent('on_success', 'success@x', 11),
    outboxEvent('on_start', 'start@x', 12),
    outboxEvent('on_failure', 'failure@x', 12),
    outboxEvent('on_start', 'start@x', 13),
    outboxEvent('on_success', 'success@x', 13),
    outboxEvent('on_success', 'b@x', 25, 'b'),
  ].map((one, index) => ({ ...one, outbox_event_id: index + 1 })),
  deliveries: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((outbox_event_id) => ({ outbox_event_id })),
  clusters: [
    {
      cluster_id: 'k',
      kind: 'JOB',
      state: 'TERMINATED',
      job_run_id: 20,
      cluster_key: null,
      spec: {},
      spark_context_id: null,
      created_time: 0,
      started_time: 0,
      terminated_time: 1,
      termination_reason: 'JOB_FINISHED',
      name: '',
      creator: null,
      termination_parameters: null,
      pool_id: '',
      workers: 0,
      requested_nodes: 1,
      granted_nodes: 0,
      ticket: 1,
      starting_node: null,
      last_used_time: null,
      logs_pending: false,
      pinned_time: null,
      restarting: false,
      permissions_set: false,
    },
  ],
  tokens: [
    { job_id: 1, token: 't', run_id: 10 },
    { job_id: 2, token: 't', run_id: 20 },
  ],
  programRecords: new Map([
    [10, programRecord(1_000, 3)],
    [11, programRecord(1_200, 0)],
    [21, programRecord(1_000, 3)],
    [23, programRecord(1_100, 0)],
    [12, { ...programRecord(1_600, 0), end: undefined }],
    [13, programRecord(3_300, 0)],
  ]),
  logs: new Map([
    [10, log(1_000)],
    [11, log(1_200)],
    [21, log(1_000)],
    [23, log(1_100)],
    [12, log(1_600)],
    [13, log(3_300)],
  ]),
  liveProcesses: [],
  cancelledRuns: new Set([12]),
  killedAttempts: new Set(),
  unexpectedResponses: [],
  acknowledged: [
    { scope: 1, token: 't', runId: 10 },
    { scope: 1, token: 't', runId: 10 },
    { scope: 2, token: 't', runId: 20 },
  ],
};

export const withRun = (runId: number, changes: Partial<RunRow>): Partial<Evidence> => ({
  runs: soundEvidence.runs.map((run) => (run.run_id === runId ? { ...run, ...changes } : run)),
});
export const withAttempt = (runId: number, changes: Partial<TaskRunRow>): Partial<Evidence> => ({
  attempts: soundEvidence.attempts.map((attempt) =>
    attempt.run_id === runId ? { ...attempt, ...changes } : attempt,
  ),
});
export const withProgramRecord = (attempt: number, changes: Partial<ProgramRecord>): Partial<Evidence> => ({
  programRecords: new Map([
    ...soundEvidence.programRecords,
    [attempt, { ...programRecord(1_000, 0), ...soundEvidence.programRecords.get(attempt), ...changes }],
  ]),
});
export const withSettings = (runId: number, changes: Partial<JobSettings>): Partial<Evidence> => ({
  runs: soundEvidence.runs.map((run) =>
    run.run_id === runId ? { ...run, settings: { ...run.settings, ...changes } } : run,
  ),
});
export const internalError = {
  state: 'INTERNAL_ERROR',
  result: 'FAILED',
  message: 'The engine failed.',
} as const;
