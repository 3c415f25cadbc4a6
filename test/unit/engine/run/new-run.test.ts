/** In-memory state of a run that has just been stored. */
import { expect, test } from 'vitest';
import { toRunWithTasks } from '../../../../engine/run/new-run.ts';
import type { NewRun } from '../../../../engine/run/new-run.ts';

const settings = {
  name: 'graph',
  tasks: [{ task_key: 'a' }, { task_key: 'b', depends_on: [{ task_key: 'a' }] }],
};

const stored: NewRun = {
  runId: 10,
  jobId: 3,
  numberInJob: 2,
  format: 'MULTI_TASK',
  version: '2.1',
  name: 'graph',
  type: 'JOB_RUN',
  trigger: 'ONE_TIME',
  creator: 'ann',
  settings,
  overridingParameters: undefined,
  state: 'PENDING',
  message: '',
  startTime: 1_000,
  owner: 'node-1',
  queueCode: undefined,
  originalAttemptRunId: 10,
  attempt: 0,
  launchedBy: undefined,
  parallelTasks: { taskRuns: 1, runJobTasks: 0 },
  tasks: [
    { runId: 11, taskKey: 'a', message: '' },
    { runId: 12, taskKey: 'b', message: 'Waiting for the task a' },
  ],
  notifications: [],
};

test('a new run is PENDING, has an owner, and has the first fence', () => {
  expect(toRunWithTasks(stored).run).toEqual({
    runId: 10,
    jobId: 3,
    numberInJob: 2,
    format: 'MULTI_TASK',
    version: '2.1',
    name: 'graph',
    type: 'JOB_RUN',
    trigger: 'ONE_TIME',
    creatorUserName: 'ann',
    settings,
    overridingParameters: undefined,
    originalAttemptRunId: 10,
    attempt: 0,
    stopReason: undefined,
    owner: 'node-1',
    parallelTasks: { taskRuns: 1, runJobTasks: 0 },
    fence: 1,
    timeoutRevision: 0,
    warned: false,
    progress: {
      state: 'PENDING',
      startTime: 1_000,
      message: '',
      runningTime: undefined,
      terminatingTime: undefined,
    },
  });
});

test('the task runs of a new run have not started and name the tasks that they wait for', () => {
  const tasks = toRunWithTasks(stored).tasks.map(
    ({ runId, jobRunId, taskKey, attempt, fence, progress }) => ({
      runId,
      jobRunId,
      taskKey,
      attempt,
      fence,
      start: progress.startTime,
      state: progress.state,
      message: progress.message,
    }),
  );
  expect(tasks).toEqual([
    {
      runId: 11,
      jobRunId: 10,
      taskKey: 'a',
      attempt: 0,
      fence: 1,
      start: undefined,
      state: 'PENDING',
      message: '',
    },
    {
      runId: 12,
      jobRunId: 10,
      taskKey: 'b',
      attempt: 0,
      fence: 1,
      start: undefined,
      state: 'PENDING',
      message: 'Waiting for the task a',
    },
  ]);
});
