/**
 * The checker finds what it is there to find: sound evidence passes, and each way to break a promise is seen,
 * by the invariant that guards it.
 */
import { expect, test } from 'vitest';
import type { JobSettings } from '../../engine/job/settings.ts';
import type { NotificationEvent } from '../../engine/run/notification.ts';
import type { RunRow, TaskRunRow } from '../../storage/postgres/runs/run-rows.ts';
import { checkInvariants, invariants, type InvariantName } from './check-invariants.ts';
import type { Evidence, ProgramRecord } from './evidence.ts';

const python = { spark_python_task: { python_file: 'managed_fs:/x.py' }, existing_cluster_id: 'c' };
const single: JobSettings = {
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
const several: JobSettings = {
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

const stamps = (
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
});

const runRow = (
  id: number,
  job: number,
  number: number,
  from: number,
  more: Partial<RunRow> = {},
): RunRow => ({
  ...stamps(from),
  run_id: id,
  job_id: job,
  number_in_job: number,
  format: job === 2 ? 'MULTI_TASK' : 'SINGLE_TASK',
  api_version: '2.1',
  name: '',
  run_type: 'JOB_RUN',
  trigger: 'ONE_TIME',
  creator: 'admin',
  settings: job === 2 ? several : single,
  overriding_parameters: null,
  original_attempt_run_id: id,
  attempt: 0,
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
  ...more,
});

const taskRow = (
  id: number,
  run: number,
  key: string,
  from: number,
  more: Partial<TaskRunRow> = {},
): TaskRunRow => ({
  ...stamps(from),
  run_id: id,
  job_run_id: run,
  task_key: key,
  attempt: 0,
  cluster_id: null,
  spark_context_id: null,
  due_time: null,
  ...more,
});

const mark = (from: number, code: number): ProgramRecord => ({
  starts: [{ pid: id(from), at: from + 20 }],
  end: { at: from + 40, code, stdout: `out ${from}`, stderr: `err ${from}` },
  lastSeenAlive: from + 40,
});
const id = (from: number): number => from;
const log = (from: number) => ({ stdout: `out ${from}`, stderr: `err ${from}` });

const notice = (
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

const job = (jobId: number, settings: JobSettings, started: number): Evidence['jobs'][number] => ({
  job_id: jobId,
  creator: 'admin',
  created_time: 0,
  name: '',
  api_version: '2.1',
  format: jobId === 2 ? 'MULTI_TASK' : 'SINGLE_TASK',
  settings,
  hidden: false,
  runs_started: started,
  deleted_time: null,
});

const failed = { result: 'FAILED' } as const;

/**
 * Run 10 of job 1 failed and was retried as 11. Run 20 of job 2: a failed (21), was retried (23), then b (22)
 * started run 12 of job 1; it was over too early and repaired, with b again as 25, which started run 13.
 */
const sound: Evidence = {
  jobs: [job(1, single, 4), job(2, several, 1)],
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
      earlier_parameters: null,
    },
  ],
  outboxEvents: [
    notice('on_start', 'start@x', 10),
    notice('on_failure', 'failure@x', 10),
    notice('on_start', 'start@x', 11),
    notice('on_success', 'success@x', 11),
    notice('on_start', 'start@x', 12),
    notice('on_failure', 'failure@x', 12),
    notice('on_start', 'start@x', 13),
    notice('on_success', 'success@x', 13),
    notice('on_success', 'b@x', 25, 'b'),
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
    },
  ],
  tokens: [
    { job_id: 1, token: 't', run_id: 10 },
    { job_id: 2, token: 't', run_id: 20 },
  ],
  programRecords: new Map([
    [10, mark(1_000, 3)],
    [11, mark(1_200, 0)],
    [21, mark(1_000, 3)],
    [23, mark(1_100, 0)],
    [12, { ...mark(1_600, 0), end: undefined }],
    [13, mark(3_300, 0)],
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

/** The evidence with some columns of a run, an attempt or a mark changed. */
const withRun = (runId: number, more: Partial<RunRow>): Partial<Evidence> => ({
  runs: sound.runs.map((run) => (run.run_id === runId ? { ...run, ...more } : run)),
});
const withAttempt = (runId: number, more: Partial<TaskRunRow>): Partial<Evidence> => ({
  attempts: sound.attempts.map((attempt) => (attempt.run_id === runId ? { ...attempt, ...more } : attempt)),
});
const withMark = (attempt: number, more: Partial<ProgramRecord>): Partial<Evidence> => ({
  programRecords: new Map([
    ...sound.programRecords,
    [attempt, { ...mark(1_000, 0), ...sound.programRecords.get(attempt), ...more }],
  ]),
});
const withSettings = (runId: number, more: Partial<JobSettings>): Partial<Evidence> => ({
  runs: sound.runs.map((run) =>
    run.run_id === runId ? { ...run, settings: { ...run.settings, ...more } } : run,
  ),
});
const broken = { state: 'INTERNAL_ERROR', result: 'FAILED', message: 'The engine failed.' } as const;

test('sound evidence has no violation, and every invariant looks at something in it', () => {
  const { violations, checkCounts } = checkInvariants(sound);
  expect(violations).toEqual([]);
  expect([...checkCounts.keys()].toSorted()).toEqual(Object.keys(invariants).toSorted());
});

const doctored: readonly (readonly [string, InvariantName, Partial<Evidence>])[] = [
  [
    'an acknowledged run is gone',
    'every acknowledged run is stored',
    { acknowledged: [...sound.acknowledged, { scope: 1, token: 'u', runId: 99 }] },
  ],
  [
    'a run is still active',
    'every run and attempt has ended',
    withRun(20, { state: 'RUNNING', active: true, result: null, end_time: null }),
  ],
  [
    'a run waits in the queue of a job that takes runs',
    'every run and attempt has ended',
    withRun(11, {
      state: 'QUEUED',
      active: true,
      result: null,
      end_time: null,
      queue_code: 'MAX_CONCURRENT_RUNS_REACHED',
    }),
  ],
  [
    'an attempt is still active in a run that is over',
    'every run and attempt has ended',
    withAttempt(25, { state: 'RUNNING', active: true, result: null, end_time: null }),
  ],
  [
    'a retry begins while the attempt before is RUNNING',
    'attempts of a task never overlap',
    withAttempt(23, { running_time: 1_055 }),
  ],
  [
    'a retry of a single-task run begins before its end',
    'attempts of a task never overlap',
    withAttempt(11, { running_time: 1_059 }),
  ],
  [
    'a process of an attempt lives on into the next',
    'attempts of a task never overlap',
    withMark(21, { lastSeenAlive: 1_115 }),
  ],
  [
    'an attempt too many',
    'the number of attempts follows the retry policy',
    { attempts: [...sound.attempts, taskRow(19, 20, 'a', 1_200, { attempt: 2 })] },
  ],
  [
    'an attempt too many of a single-task run',
    'the number of attempts follows the retry policy',
    withSettings(11, { max_retries: 0 }),
  ],
  [
    'a retry after a success',
    'the number of attempts follows the retry policy',
    withAttempt(21, { result: 'SUCCESS' }),
  ],
  [
    'a retry after a timeout that is not retried',
    'the number of attempts follows the retry policy',
    withAttempt(21, { result: 'TIMEDOUT' }),
  ],
  [
    'a retry that never came',
    'the number of attempts follows the retry policy',
    {
      runs: sound.runs.filter((run) => run.run_id !== 11),
      attempts: sound.attempts.filter((attempt) => attempt.run_id !== 11),
    },
  ],
  [
    'a retry before its time',
    'a retry waits for its retry interval',
    withAttempt(11, { running_time: 1_099 }),
  ],
  ['a stopped run is retried', 'a stopped run is not retried', withRun(10, { stop_reason: 'cancel' })],
  [
    'a task begins before the one that it depends on is over',
    'a task waits for its upstream tasks',
    withAttempt(22, { running_time: 1_155 }),
  ],
  [
    'a task begins although the one before failed',
    'a task waits for its upstream tasks',
    withAttempt(23, { result: 'FAILED' }),
  ],
  [
    'an attempt ran twice',
    'a process runs once for each attempt',
    withMark(11, {
      starts: [
        { pid: 1, at: 1_220 },
        { pid: 2, at: 1_221 },
      ],
    }),
  ],
  [
    'an attempt that never started has run',
    'a process runs once for each attempt',
    withAttempt(21, { running_time: null }),
  ],
  [
    'a SUCCESS without a process',
    'a process runs once for each attempt',
    { programRecords: new Map([...sound.programRecords].filter(([attempt]) => attempt !== 11)) },
  ],
  ['a process of an attempt that is not stored', 'a process runs once for each attempt', withMark(77, {})],
  [
    'a process starts before its attempt is RUNNING',
    'a process starts and ends within its attempt',
    withMark(11, { starts: [{ pid: 1, at: 1_205 }] }),
  ],
  [
    'a process outlives its attempt',
    'a process starts and ends within its attempt',
    withMark(13, { lastSeenAlive: 3_361 }),
  ],
  [
    'a SUCCESS of a program that failed',
    'a result matches the exit code of the program',
    withMark(11, { end: { at: 1_240, code: 3, stdout: 'out 1200', stderr: 'err 1200' } }),
  ],
  [
    'a SUCCESS of a program that never came to its end',
    'a result matches the exit code of the program',
    withMark(11, { end: undefined }),
  ],
  [
    'a FAILED of a program that succeeded',
    'a result matches the exit code of the program',
    withMark(21, { end: { at: 1_040, code: 0, stdout: 'out 1000', stderr: 'err 1000' } }),
  ],
  [
    'a FAILED of a program that never came to its end, and nobody killed it',
    'a result matches the exit code of the program',
    withMark(21, { end: undefined }),
  ],
  ['a timeout without one', 'a timeout or cancel has a reason', withAttempt(13, { result: 'TIMEDOUT' })],
  [
    'a cancel that nobody asked for',
    'a timeout or cancel has a reason',
    withAttempt(13, { result: 'CANCELED' }),
  ],
  [
    'a cancelled run goes on',
    'a cancel request is honored',
    withRun(12, { active: true, state: 'RUNNING', result: null }),
  ],
  [
    'a run is SUCCESS although its last task failed',
    'the result of a run follows from its tasks',
    withAttempt(25, { result: 'FAILED' }),
  ],
  [
    'a run of several tasks timed out without a timeout',
    'the result of a run follows from its tasks',
    withRun(20, { result: 'TIMEDOUT' }),
  ],
  [
    'a single-task run and its task disagree',
    'the result of a run follows from its tasks',
    withAttempt(11, { result: 'FAILED' }),
  ],
  [
    'a run without task runs',
    'the result of a run follows from its tasks',
    { attempts: sound.attempts.filter((attempt) => attempt.run_id !== 11) },
  ],
  [
    'INTERNAL_ERROR of an attempt that nobody killed',
    'only a killed task ends as INTERNAL_ERROR',
    withAttempt(21, broken),
  ],
  [
    'INTERNAL_ERROR of a run of several tasks',
    'only a killed task ends as INTERNAL_ERROR',
    { ...withRun(20, broken), killedAttempts: new Set([20]) },
  ],
  ['a number is missing', 'numbers in job have no gaps', withRun(13, { number_in_job: 5 })],
  ['a number is given twice', 'numbers in job have no gaps', withRun(13, { number_in_job: 3 })],
  [
    'a run is missing that was counted',
    'numbers in job have no gaps',
    { jobs: [job(1, single, 5), job(2, several, 1)] },
  ],
  ['one run too many at once', 'max_concurrent_runs is never exceeded', withRun(11, { start_time: 1_059 })],
  [
    'one run too many at once, with a repaired one',
    'max_concurrent_runs is never exceeded',
    { jobs: [job(1, single, 4), job(2, { ...several, max_concurrent_runs: 0 }, 1)] },
  ],
  [
    'one too many admitted from the queue',
    'max_concurrent_runs is never exceeded',
    withRun(12, { start_time: 900, admitted_time: 1_250 }),
  ],
  [
    'two runs for one token',
    'an idempotency token has one run',
    { acknowledged: [...sound.acknowledged, { scope: 1, token: 't', runId: 11 }] },
  ],
  [
    'a run without a token',
    'an idempotency token has one run',
    { tokens: sound.tokens.filter(({ run_id }) => run_id !== 10), acknowledged: [] },
  ],
  ['two runs for one run_job_task', 'a run_job_task has one child run', withRun(13, { launched_by: 22 })],
  [
    'a run_job_task is SUCCESS although its run failed',
    'a run_job_task has one child run',
    withRun(13, { result: 'FAILED' }),
  ],
  [
    'a notice is stored twice',
    'a notification is stored once',
    { outboxEvents: [...sound.outboxEvents, notice('on_success', 'b@x', 25, 'b')] },
  ],
  ['a notice is missing', 'a notification is stored once', { outboxEvents: sound.outboxEvents.slice(1) }],
  [
    'a notice that nothing has caused',
    'a notification is stored once',
    { outboxEvents: [...sound.outboxEvents, notice('on_start', 'nobody@x', 10)] },
  ],
  ['a warning that is missing', 'a notification is stored once', withRun(13, { end_time: 9_000 })],
  [
    'a warning that is told twice',
    'a notification is stored once',
    {
      outboxEvents: [
        ...sound.outboxEvents,
        ...[1, 2].map(() => notice('on_duration_warning_threshold_exceeded', 'slow@x', 13)),
      ],
    },
  ],
  ['a notice that was taken has no delivery', 'a notification has one delivery', { deliveries: [] }],
  [
    'a notice has two deliveries',
    'a notification has one delivery',
    { deliveries: [...sound.deliveries, { outbox_event_id: 9 }] },
  ],
  [
    'a log has lost a line',
    'logs are complete',
    { logs: new Map([...sound.logs, [11, { stdout: 'less', stderr: 'err 1200' }]]) },
  ],
  ['a log is gone', 'logs are complete', { logs: new Map() }],
  [
    'a process is left',
    'no process is leaked',
    { liveProcesses: [{ pid: 5, attempt: 11, command: 'sleep 600' }] },
  ],
  [
    'a cluster is left',
    'no cluster is leaked',
    { clusters: sound.clusters.map((cluster) => ({ ...cluster, state: 'RUNNING' })) },
  ],
  [
    'a request was answered with 500',
    'no response is unexpected',
    { unexpectedResponses: ['POST jobs/run-now: 500'] },
  ],
];

test.each(doctored)('%s: seen by "%s"', (_name, invariant, changes) => {
  expect(
    checkInvariants({ ...sound, ...changes }).violations.map((violation) => violation.invariant),
  ).toContain(invariant);
});

test('each invariant has evidence that breaks it', () => {
  expect([...new Set(doctored.map(([, invariant]) => invariant))].toSorted()).toEqual(
    Object.keys(invariants).toSorted(),
  );
});

test('a killed task excuses an INTERNAL_ERROR, and a failure without a last word', () => {
  expect(
    checkInvariants({ ...sound, ...withAttempt(21, broken), killedAttempts: new Set([21]) }).violations,
  ).toEqual([]);
  expect(
    checkInvariants({ ...sound, ...withMark(21, { end: undefined }), killedAttempts: new Set([21]) })
      .violations,
  ).toEqual([]);
});
