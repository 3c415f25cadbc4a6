/** Faults of graphs, timeouts, cancellations, child runs, plugins and processes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../harness/eventually.ts';
import { python, task, waitUntilRunning, type Fault, type FaultService } from './fault.ts';

const files = {
  '/ok.py': 'print(1)\n',
  '/wait.py': 'import time\ntime.sleep(600)\n',
  '/bad.py': "raise ValueError('no rows')\n",
};
const ok = python('/ok.py');
const wait = python('/wait.py');
const bad = python('/bad.py');
const multi = (...tasks: object[]): object => ({ format: 'MULTI_TASK', tasks });

/** Creates a job and starts a run of it. */
async function startJob(service: FaultService, settings: object): Promise<{ jobId: number; runId: number }> {
  const { job_id: jobId } = await service.callOk('POST', '2.0/jobs/create', settings);
  const { run_id: runId } = await service.callOk('POST', '2.0/jobs/run-now', { job_id: jobId });
  return { jobId, runId };
}

export const graphFaults: readonly Fault[] = [
  {
    name: 'one task of several fails',
    code: 'USER_CODE',
    cause: 'ValueError: no rows',
    place: 'managed_fs:/bad.py, line 1',
    nextStep: 'Correct the code there and repair the run.',
    also: ['1 other task failed and 2 were skipped'],
    files,
    job: multi(task('a', bad), task('b', bad, []), task('c', ok, ['a']), task('d', ok, ['c'])),
  },
  {
    name: 'a task before this one failed',
    code: 'UPSTREAM',
    cause: 'Upstream task a failed',
    place: 'task a',
    nextStep: 'Correct task a and repair the run',
    task: 'b',
    files,
    job: multi(task('a', bad), task('b', ok, ['a'])),
  },
  {
    name: 'a task before this one was skipped',
    code: 'UPSTREAM',
    cause: 'Upstream task b was skipped because task a failed',
    place: 'task a',
    nextStep: 'Correct task a and repair the run',
    task: 'c',
    files,
    job: multi(task('a', bad), task('b', ok, ['a']), task('c', ok, ['b'])),
  },
  {
    name: 'a task is excluded by its run_if',
    isQuiet: true,
    code: 'EXCLUDED',
    cause: 'Not run, as configured: run_if is AT_LEAST_ONE_FAILED and a succeeded',
    place: 'a succeeded',
    nextStep: 'No action needed.',
    task: 'b',
    files,
    job: multi(task('a', ok), task('b', { ...ok, run_if: 'AT_LEAST_ONE_FAILED' }, ['a'])),
  },
  {
    name: 'a task reaches its timeout',
    code: 'TIMEOUT',
    cause: 'Run timed out: task slow reached its timeout_seconds of 1',
    place: 'task slow',
    nextStep: 'Raise the timeout, or find what was slow in the log.',
    files,
    job: multi(task('slow', { ...wait, timeout_seconds: 1 })),
  },
  {
    name: 'a job reaches its timeout',
    code: 'TIMEOUT',
    cause: 'Run timed out: job <n> reached its timeout_seconds of 1',
    place: 'job <n>',
    nextStep: 'Raise the timeout, or find what was slow in the log.',
    files,
    job: { ...(wait as object), timeout_seconds: 1 },
  },
  {
    name: 'a task waits for nodes of a pool until its job times out',
    task: 'waiter',
    code: 'TIMEOUT',
    cause: 'waits for 2 nodes of the pool "busy", which has 2',
    place: 'held by',
    nextStep: 'Raise the timeout',
    files,
    async start(service) {
      const cluster = { spark_version: 'x', instance_pool_id: 'busy', num_workers: 1 };
      const onPool = (key: string, source: object): object =>
        task(key, { ...source, existing_cluster_id: undefined, new_cluster: cluster });
      const holder = await startJob(service, { name: 'holder', ...multi(onPool('holder', wait)) });
      await waitUntilRunning(service, holder.runId);
      const waiter = { ...notified(service), ...onPool('waiter', ok) };
      const { jobId, runId } = await startJob(service, { name: 'waiter', ...multi(waiter) });
      await service.waitForRun(runId, ({ tasks }) => /waits for/.test(tasks[0].state.state_message));
      // A timeout that is past stops the run at once.
      await service.callOk('POST', '2.0/jobs/update', {
        job_id: jobId,
        new_settings: { timeout_seconds: 1 },
      });
      await service.waitForRunEnd(runId);
      await service.callOk('POST', '2.0/jobs/runs/cancel', { run_id: holder.runId });
      return runId;
    },
  },
  {
    name: 'a task waits for a child run until it times out',
    code: 'TIMEOUT',
    cause: 'had waited <n> s for run <n> of job <n>',
    place: 'task parent',
    nextStep: 'Raise the timeout, or find what was slow in that run.',
    files,
    async start(service) {
      const { job_id: child } = await service.callOk('POST', '2.0/jobs/create', {
        name: 'endless child',
        ...wait,
      });
      const settings = {
        ...notified(service),
        ...multi(task('parent', { run_job_task: { job_id: child }, timeout_seconds: 1 })),
      };
      return (await startJob(service, settings)).runId;
    },
  },
  {
    name: 'a user cancels a run with a token',
    code: 'CANCELLED',
    cause: 'Run cancelled by user admin through the token',
    place: 'admin',
    nextStep: 'Start the run again when it is wanted.',
    files,
    job: wait,
    async act(service, runId) {
      await waitUntilRunning(service, runId);
      await service.callOk('POST', '2.0/jobs/runs/cancel', { run_id: runId });
    },
  },
  {
    name: 'a user cancels a run in the console',
    code: 'CANCELLED',
    cause: 'Run cancelled by user admin through the console',
    place: 'admin',
    nextStep: 'Repair the run',
    files,
    job: multi(task('a', wait), task('b', ok, ['a'])),
    async act(service, runId) {
      await waitUntilRunning(service, runId);
      await service.callFromConsole('2.1/jobs/runs/cancel', { run_id: runId });
    },
  },
  {
    name: 'a user cancels all runs of a job',
    code: 'CANCELLED',
    cause: 'Run cancelled by user admin through the token',
    place: 'admin',
    nextStep: 'Start the run again when it is wanted.',
    files,
    job: wait,
    async act(service, runId) {
      const { job_id: jobId } = await waitUntilRunning(service, runId);
      await service.callOk('POST', '2.0/jobs/runs/cancel-all', { job_id: jobId });
    },
  },
  {
    name: 'a second run is skipped because the first one is active',
    code: 'CONCURRENCY',
    cause:
      'Skipping this run because the limit of 1 maximum concurrent runs has been reached. Run <n> was still active.',
    place: 'Run <n>',
    nextStep: 'Raise max_concurrent_runs, or enable queue.',
    files,
    async start(service) {
      const { jobId, runId } = await startJob(service, { ...notified(service), ...wait });
      const second = await service.callOk('POST', '2.0/jobs/run-now', { job_id: jobId });
      await service.callOk('POST', '2.0/jobs/runs/cancel', { run_id: runId });
      return second.run_id;
    },
  },
  {
    name: 'the run that a run_job_task starts fails',
    code: 'CHILD_RUN',
    cause: 'Run <n> of job "failing child" failed: ValueError: no rows (managed_fs:/bad.py, line 1)',
    place: 'Run <n>',
    nextStep: 'Open run <n> (http',
    files,
    async start(service) {
      const child = await service.callOk('POST', '2.0/jobs/create', { name: 'failing child', ...bad });
      const settings = {
        ...notified(service),
        ...multi(task('parent', { run_job_task: { job_id: child.job_id } })),
      };
      return (await startJob(service, settings)).runId;
    },
  },
  {
    name: 'the process and its supervisor are killed',
    code: 'INTERNAL',
    cause: 'disappeared without an exit code',
    place: 'on node',
    nextStep: 'Start the run again; set max_retries to retry automatically.',
    files,
    job: wait,
    async act(service, runId) {
      await waitUntilRunning(service, runId);
      await killGroup(service, runId);
    },
  },
  {
    name: 'a plugin throws',
    code: 'PLUGIN',
    cause: 'The runner of battery_task failed: no such table',
    place: 'battery_task',
    nextStep: "Tell the plugin's author",
    job: { battery_task: { do: 'throw' } },
  },
  {
    name: 'a plugin reports a failure',
    code: 'USER_CODE',
    cause: 'the table is locked',
    place: 'battery_task',
    nextStep: 'Correct what the plugin battery_task reports',
    job: { battery_task: { do: 'fail' } },
  },
  {
    name: 'a plugin returns no outcome',
    code: 'PLUGIN',
    cause: 'battery_task',
    place: 'battery_task',
    nextStep: "Tell the plugin's author",
    job: { battery_task: { do: 'nothing' } },
  },
  {
    name: 'a plugin ends its thread',
    code: 'PLUGIN',
    cause: 'The thread of the battery_task runner died 3 times',
    place: 'battery_task',
    nextStep: "The plugin ended its thread: tell the plugin's author",
    job: { battery_task: { do: 'exit' } },
  },
  {
    name: 'a plugin blocks its thread until the task times out',
    code: 'TIMEOUT',
    cause: 'Plugin battery_task blocked its thread and did not stop within <n> s',
    place: 'battery_task',
    nextStep: "Tell the plugin's author, or raise the timeout.",
    job: { battery_task: { do: 'block' }, timeout_seconds: 1 },
  },
  {
    name: 'the job that a run_job_task starts was deleted',
    code: 'CHILD_RUN',
    cause: 'could not be started: Job <n> does not exist',
    place: 'Job <n>',
    nextStep: 'Correct job_id of run_job_task, or the job that it names',
    files,
    async start(service) {
      const child = await service.callOk('POST', '2.0/jobs/create', { name: 'gone', ...ok });
      const settings = {
        ...notified(service),
        name: 'parent of a deleted job',
        ...multi(task('parent', { run_job_task: { job_id: child.job_id } })),
      };
      const { job_id: jobId } = await service.callOk('POST', '2.0/jobs/create', settings);
      await service.callOk('POST', '2.0/jobs/delete', { job_id: child.job_id });
      return (await service.callOk('POST', '2.0/jobs/run-now', { job_id: jobId })).run_id;
    },
  },
];

/** Returns the notification settings of the battery. */
function notified(service: FaultService): object {
  return service.notifications;
}

/** Kills the process of an attempt together with its supervisor. */
async function killGroup(service: FaultService, runId: number): Promise<void> {
  const file = join(service.dataDirectory, 'runs', String(runId), 'pid');
  const claim = await eventually(async () => readFile(file, 'utf8').catch(() => ''), { until: Boolean });
  process.kill(-Number(claim.split(' ')[0]), 'SIGKILL');
}
