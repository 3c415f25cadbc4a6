/** Facts of a Spark application out of the lines of its event log. */
import { describe, expect, test } from 'vitest';
import { foldSparkEvent } from '../../../../engine/run/spark-events.ts';
import {
  newSparkApplication,
  progressOfUser,
  type SparkApplication,
} from '../../../../engine/run/spark-application.ts';

const session = 'spark-session-4ea46c4d-4e14-406a-b11e-ee8cb9f33500';
const tagOf = (user: string): string =>
  `SparkConnect_OperationTag_User_${user}_Session_0394b961_Operation_54009863,${session}`;
const stage = (id: number, tasks: number, more: object = {}): object => ({
  'Stage ID': id,
  'Stage Attempt ID': 0,
  'Stage Name': `collect at x.py:${id}`,
  'Number of Tasks': tasks,
  ...more,
});
const event = (name: string, fields: object): string =>
  JSON.stringify({ Event: `SparkListener${name}`, ...fields });
const jobStart = (id: number, stages: object[], tags: string): string =>
  event('JobStart', {
    'Job ID': id,
    'Submission Time': 5,
    'Stage Infos': stages,
    Properties: { 'spark.job.tags': tags },
  });
const jobEnd = (id: number, result: object = { Result: 'JobSucceeded' }): string =>
  event('JobEnd', { 'Job ID': id, 'Completion Time': 9, 'Job Result': result });
const stageStart = (id: number, tasks: number): string =>
  event('StageSubmitted', { 'Stage Info': stage(id, tasks, { 'Submission Time': 6 }) });
const stageEnd = (id: number, tasks: number, more: object = {}): string =>
  event('StageCompleted', { 'Stage Info': stage(id, tasks, more) });
const taskEnd = (id: number, reason = 'Success'): string =>
  event('TaskEnd', {
    'Stage ID': id,
    'Stage Attempt ID': 0,
    'Task Type': 'ResultTask',
    'Task End Reason': { Reason: reason },
  });
const read = (lines: readonly string[]): SparkApplication => {
  const application = newSparkApplication();
  for (const line of lines) foldSparkEvent(application, line);
  return application;
};
const none = { jobs: 0, jobsDone: 0, jobsFailed: 0, stages: 0, stagesDone: 0, tasks: 0, tasksDone: 0 };

describe('progress', () => {
  test.each<[string, readonly string[], object, number]>([
    ['no job', [], none, 0],
    [
      'a running stage',
      [
        jobStart(0, [stage(0, 4), stage(1, 1, { 'Parent IDs': [0] })], tagOf('run-7')),
        stageStart(0, 4),
        taskEnd(0),
        taskEnd(0, 'x'),
      ],
      { jobs: 1, stages: 2, tasks: 5, tasksDone: 1 },
      1,
    ],
    [
      'a finished job',
      [jobStart(0, [stage(0, 1)], tagOf('run-7')), stageStart(0, 1), taskEnd(0), stageEnd(0, 1), jobEnd(0)],
      { jobs: 1, jobsDone: 1, stages: 1, stagesDone: 1, tasks: 1, tasksDone: 1 },
      0,
    ],
    [
      'a job with a skipped stage',
      [
        jobStart(0, [stage(0, 3), stage(1, 1)], tagOf('run-7')),
        stageStart(1, 1),
        taskEnd(1),
        stageEnd(1, 1),
        jobEnd(0),
      ],
      { jobs: 1, jobsDone: 1, stages: 2, stagesDone: 2, tasks: 4, tasksDone: 4 },
      0,
    ],
    [
      'a failed job',
      [
        jobStart(0, [stage(0, 1)], tagOf('run-7')),
        stageStart(0, 1),
        taskEnd(0),
        stageEnd(0, 1, { 'Failure Reason': 'x' }),
        jobEnd(0, { Result: 'JobFailed', Exception: { Message: 'Job aborted' } }),
      ],
      { jobs: 1, jobsFailed: 1, stages: 1, tasks: 1 },
      0,
    ],
    [
      'a job whose first stage runs, before Spark has written its submission',
      [jobStart(0, [stage(0, 4), stage(1, 1, { 'Parent IDs': [0] })], tagOf('run-7'))],
      { jobs: 1, stages: 2, tasks: 5 },
      1,
    ],
    [
      'a job whose second stage runs',
      [
        jobStart(0, [stage(0, 1), stage(1, 2, { 'Parent IDs': [0] })], tagOf('run-7')),
        stageStart(0, 1),
        taskEnd(0),
        stageEnd(0, 1),
      ],
      { jobs: 1, stages: 2, stagesDone: 1, tasks: 3, tasksDone: 1 },
      1,
    ],
    ['a job of another task', [jobStart(0, [stage(0, 1)], tagOf('run-70')), stageStart(0, 1)], {}, 0],
    [
      'a job that began before its session was known to belong to the task',
      [
        jobStart(0, [stage(0, 1)], `${session}-execution-root-id-0,${session}`),
        jobStart(1, [], tagOf('run-7')),
      ],
      { jobs: 2, stages: 1, tasks: 1 },
      1,
    ],
    ['damaged lines', ['{"Event":"SparkListenerJobStart"', '{"Event":"SparkListenerJobEnd"}', 'x'], {}, 0],
  ])('%s', (_fact, lines, expected, running) => {
    const { progress, stages } = progressOfUser(read(lines), 'run-7');
    expect(progress).toEqual({ ...none, ...expected });
    expect(stages).toHaveLength(running);
  });

  test('all users together are the application', () => {
    const application = read([jobStart(0, [stage(0, 1)], tagOf('run-7')), jobStart(1, [stage(1, 2)], '')]);
    expect(progressOfUser(application, undefined).progress).toMatchObject({ jobs: 2, tasks: 3 });
  });
});

test('an application has its executors, its end, and the message of its newest failure', () => {
  const application = read([
    event('LogStart', { 'Spark Version': '4.3.0' }),
    event('ApplicationStart', { 'App Name': 'n', 'App ID': 'app-1', Timestamp: 1 }),
    event('ExecutorAdded', {
      Timestamp: 2,
      'Executor ID': '0',
      'Executor Info': { Host: 'h', 'Total Cores': 1, 'Log Urls': { stdout: 'http://h:1/logPage/' } },
    }),
    event('ExecutorRemoved', { Timestamp: 3, 'Executor ID': '0', 'Removed Reason': 'worker lost' }),
    jobStart(0, [stage(0, 1)], ''),
    jobEnd(0, { Result: 'JobFailed', Exception: { Message: 'Job aborted' } }),
    event('ApplicationEnd', { Timestamp: 4 }),
  ]);
  expect(application).toMatchObject({
    applicationId: 'app-1',
    name: 'n',
    sparkVersion: '4.3.0',
    startedTime: 1,
    endedTime: 4,
    lastFailure: 'Job aborted',
  });
  expect([...application.executors.values()]).toEqual([
    {
      id: '0',
      host: 'h',
      cores: 1,
      addedTime: 2,
      removedTime: 3,
      removedReason: 'worker lost',
      logUrls: { stdout: 'http://h:1/logPage/' },
    },
  ]);
});
