/** Evidence with one violation each, for the tests of the checker. */
import type { InvariantName } from './check-invariants.ts';
import type { Evidence } from './evidence.ts';
import {
  internalError,
  jobRow,
  multiTaskJob,
  outboxEvent,
  singleTaskJob,
  soundEvidence,
  taskRow,
  withAttempt,
  withProgramRecord,
  withRun,
  withSettings,
} from './sound-evidence.ts';

/** Violation, the invariant that detects it, and the changes of the sound evidence that cause it. */
export const brokenEvidence: readonly (readonly [string, InvariantName, Partial<Evidence>])[] = [
  [
    'an acknowledged run is missing',
    'every acknowledged run is stored',
    { acknowledged: [...soundEvidence.acknowledged, { scope: 1, token: 'u', runId: 99 }] },
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
    'a retry starts while the previous attempt is RUNNING',
    'attempts of a task never overlap',
    withAttempt(23, { running_time: 1_055 }),
  ],
  [
    'the retry of a single-task run starts before the run ends',
    'attempts of a task never overlap',
    withAttempt(11, { running_time: 1_059 }),
  ],
  [
    'the process of an attempt is alive during the next attempt',
    'attempts of a task never overlap',
    withProgramRecord(21, { lastSeenAlive: 1_115 }),
  ],
  [
    'a task has more attempts than allowed',
    'the number of attempts follows the retry policy',
    { attempts: [...soundEvidence.attempts, taskRow(19, 20, 'a', 1_200, { attempt: 2 })] },
  ],
  [
    'a single-task run has more attempts than allowed',
    'the number of attempts follows the retry policy',
    withSettings(11, { max_retries: 0 }),
  ],
  [
    'a successful attempt is retried',
    'the number of attempts follows the retry policy',
    withAttempt(21, { result: 'SUCCESS' }),
  ],
  [
    'a timeout is retried without retry_on_timeout',
    'the number of attempts follows the retry policy',
    withAttempt(21, { result: 'TIMEDOUT' }),
  ],
  [
    'a required retry is missing',
    'the number of attempts follows the retry policy',
    {
      runs: soundEvidence.runs.filter((run) => run.run_id !== 11),
      attempts: soundEvidence.attempts.filter((attempt) => attempt.run_id !== 11),
    },
  ],
  [
    'a retry starts before its retry interval',
    'a retry waits for its retry interval',
    withAttempt(11, { running_time: 1_099 }),
  ],
  ['a stopped run is retried', 'a stopped run is not retried', withRun(10, { stop_reason: 'cancel' })],
  [
    'a task starts before its upstream task ends',
    'a task waits for its upstream tasks',
    withAttempt(22, { running_time: 1_155 }),
  ],
  [
    'a task starts although its upstream task failed',
    'a task waits for its upstream tasks',
    withAttempt(23, { result: 'FAILED' }),
  ],
  [
    'an attempt has two processes',
    'a process runs once for each attempt',
    withProgramRecord(11, {
      starts: [
        { pid: 1, at: 1_220 },
        { pid: 2, at: 1_221 },
      ],
    }),
  ],
  [
    'an attempt that never started has a process',
    'a process runs once for each attempt',
    withAttempt(21, { running_time: null }),
  ],
  [
    'a successful attempt has no process',
    'a process runs once for each attempt',
    { programRecords: new Map([...soundEvidence.programRecords].filter(([attempt]) => attempt !== 11)) },
  ],
  [
    'a process belongs to an attempt that is not stored',
    'a process runs once for each attempt',
    withProgramRecord(77, {}),
  ],
  [
    'a process starts before its attempt is RUNNING',
    'a process starts and ends within its attempt',
    withProgramRecord(11, { starts: [{ pid: 1, at: 1_205 }] }),
  ],
  [
    'a process outlives its attempt',
    'a process starts and ends within its attempt',
    withProgramRecord(13, { lastSeenAlive: 3_361 }),
  ],
  [
    'an attempt is SUCCESS although its program failed',
    'a result matches the exit code of the program',
    withProgramRecord(11, { end: { at: 1_240, code: 3, stdout: 'out 1200', stderr: 'err 1200' } }),
  ],
  [
    'an attempt is SUCCESS although its program did not exit',
    'a result matches the exit code of the program',
    withProgramRecord(11, { end: undefined }),
  ],
  [
    'an attempt is FAILED although its program succeeded',
    'a result matches the exit code of the program',
    withProgramRecord(21, { end: { at: 1_040, code: 0, stdout: 'out 1000', stderr: 'err 1000' } }),
  ],
  [
    'an attempt is FAILED although its program neither exited nor was killed',
    'a result matches the exit code of the program',
    withProgramRecord(21, { end: undefined }),
  ],
  [
    'an attempt without a timeout is TIMEDOUT',
    'a timeout or cancel has a reason',
    withAttempt(13, { result: 'TIMEDOUT' }),
  ],
  [
    'an attempt is CANCELED without a cancel request',
    'a timeout or cancel has a reason',
    withAttempt(13, { result: 'CANCELED' }),
  ],
  [
    'a canceled run is still active',
    'a cancel request is honored',
    withRun(12, { active: true, state: 'RUNNING', result: null }),
  ],
  [
    'a run is SUCCESS although its leaf task failed',
    'the result of a run follows from its tasks',
    withAttempt(25, { result: 'FAILED' }),
  ],
  [
    'a multi-task run without a timeout is TIMEDOUT',
    'the result of a run follows from its tasks',
    withRun(20, { result: 'TIMEDOUT' }),
  ],
  [
    'a single-task run and its task have different results',
    'the result of a run follows from its tasks',
    withAttempt(11, { result: 'FAILED' }),
  ],
  [
    'a run has no task runs',
    'the result of a run follows from its tasks',
    { attempts: soundEvidence.attempts.filter((attempt) => attempt.run_id !== 11) },
  ],
  [
    'an attempt is INTERNAL_ERROR although no process was killed',
    'only a killed task ends as INTERNAL_ERROR',
    withAttempt(21, internalError),
  ],
  [
    'a multi-task run is INTERNAL_ERROR',
    'only a killed task ends as INTERNAL_ERROR',
    { ...withRun(20, internalError), killedAttempts: new Set([20]) },
  ],
  ['a run number is missing', 'numbers in job have no gaps', withRun(13, { number_in_job: 5 })],
  ['a run number is used twice', 'numbers in job have no gaps', withRun(13, { number_in_job: 3 })],
  [
    'a counted run is missing',
    'numbers in job have no gaps',
    { jobs: [jobRow(1, singleTaskJob, 5), jobRow(2, multiTaskJob, 1)] },
  ],
  [
    'more runs are active than allowed',
    'max_concurrent_runs is never exceeded',
    withRun(11, { start_time: 1_059 }),
  ],
  [
    'more runs are active than allowed during a repair',
    'max_concurrent_runs is never exceeded',
    { jobs: [jobRow(1, singleTaskJob, 4), jobRow(2, { ...multiTaskJob, max_concurrent_runs: 0 }, 1)] },
  ],
  [
    'the queue admits a run although the limit is reached',
    'max_concurrent_runs is never exceeded',
    withRun(12, { start_time: 900, admitted_time: 1_250 }),
  ],
  [
    'responses to one token name two runs',
    'an idempotency token has one run',
    { acknowledged: [...soundEvidence.acknowledged, { scope: 1, token: 't', runId: 11 }] },
  ],
  [
    'a one-time run has no token',
    'an idempotency token has one run',
    { tokens: soundEvidence.tokens.filter(({ run_id }) => run_id !== 10), acknowledged: [] },
  ],
  ['a run_job_task has two child runs', 'a run_job_task has one child run', withRun(13, { launched_by: 22 })],
  [
    'a run_job_task is SUCCESS although its child run failed',
    'a run_job_task has one child run',
    withRun(13, { result: 'FAILED' }),
  ],
  [
    'a notification is stored twice',
    'a notification is stored once',
    { outboxEvents: [...soundEvidence.outboxEvents, outboxEvent('on_success', 'b@x', 25, 'b')] },
  ],
  [
    'a notification is missing',
    'a notification is stored once',
    { outboxEvents: soundEvidence.outboxEvents.slice(1) },
  ],
  [
    'a notification has no cause',
    'a notification is stored once',
    { outboxEvents: [...soundEvidence.outboxEvents, outboxEvent('on_start', 'unknown@x', 10)] },
  ],
  ['a duration warning is missing', 'a notification is stored once', withRun(13, { end_time: 9_000 })],
  [
    'a duration warning is stored twice',
    'a notification is stored once',
    {
      outboxEvents: [
        ...soundEvidence.outboxEvents,
        ...[1, 2].map(() => outboxEvent('on_duration_warning_threshold_exceeded', 'slow@x', 13)),
      ],
    },
  ],
  ['a dispatched notification has no delivery', 'a notification has one delivery', { deliveries: [] }],
  [
    'a notification has two deliveries',
    'a notification has one delivery',
    { deliveries: [...soundEvidence.deliveries, { outbox_event_id: 9 }] },
  ],
  [
    'a log is incomplete',
    'logs are complete',
    { logs: new Map([...soundEvidence.logs, [11, { stdout: 'less', stderr: 'err 1200' }]]) },
  ],
  ['all logs are missing', 'logs are complete', { logs: new Map() }],
  [
    'a process is still alive',
    'no process is leaked',
    { liveProcesses: [{ pid: 5, attempt: 11, command: 'sleep 600' }] },
  ],
  [
    'a cluster is still running',
    'no cluster is leaked',
    { clusters: soundEvidence.clusters.map((cluster) => ({ ...cluster, state: 'RUNNING' })) },
  ],
  [
    'a request gets status 500',
    'no response is unexpected',
    { unexpectedResponses: ['POST jobs/run-now: 500'] },
  ],
];
