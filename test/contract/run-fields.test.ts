/**
 * Fields of executed runs: single-task runs, multi-task runs, task runs and submissions (spec
 * 2.5).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { newCluster, pythonTask } from './field-rows.ts';

let runyard: TestService;

/** Runs checked by the rows, read after their end unless noted. */
interface Runs {
  readonly jobId: number;
  /** Run of a single-task job on a new cluster with python_params, read in 2.0. */
  readonly single: ResponseBody;
  /** Next run of the same job. */
  readonly second: ResponseBody;
  /** Run of a job with task `a` and dependent task `b` on a shared cluster, read in 2.0. */
  readonly multi: ResponseBody;
  /** Task run `b` of that run, read by its own id. */
  readonly taskRun: ResponseBody;
  /** Submission without a name on an existing cluster. */
  readonly submitted: ResponseBody;
  /** The submission while it was running. */
  readonly running: ResponseBody;
  /** Runs as returned by runs/list, newest first. */
  readonly listed: ResponseBody[];
}
let runs: Runs;

const get = (run_id: number): Promise<ResponseBody> => runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });
const start = async (path: string, body: object): Promise<number> =>
  (await runyard.callOk('POST', path, body)).run_id;
const ended = async (run_id: number): Promise<ResponseBody> => {
  await runyard.waitForRunEnd(run_id);
  return get(run_id);
};
const libraries: object[] = [];
const clusterId = /^\d{4}-\d{6}-[a-z0-9]{8}$/;
const tasks = [
  { task_key: 'a', description: 'first', job_cluster_key: 'shared', ...pythonTask },
  { task_key: 'b', depends_on: [{ task_key: 'a' }], job_cluster_key: 'shared', ...pythonTask },
];
const gate =
  'import os, pathlib, time\nwhile not (pathlib.Path(os.environ["RUNYARD_MANAGED_FS"]) / "open").exists():\n    time.sleep(0.01)\n';

beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'import time\ntime.sleep(0.02)\n');
  await runyard.putFile('/gate.py', gate);
  const submittedId = await start('2.0/jobs/runs/submit', {
    existing_cluster_id: 'all-purpose',
    spark_python_task: { python_file: 'managed_fs:/gate.py' },
  });
  const jobId: number = (
    await runyard.callOk('POST', '2.0/jobs/create', {
      name: 'one',
      new_cluster: newCluster,
      libraries,
      max_concurrent_runs: 2,
      ...pythonTask,
    })
  ).job_id;
  const many = (
    await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'many',
      tasks,
      job_clusters: [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    })
  ).job_id;
  const single = await ended(await start('2.0/jobs/run-now', { job_id: jobId, python_params: ['x'] }));
  const [second, multi] = await Promise.all([
    ended(await start('2.0/jobs/run-now', { job_id: jobId })),
    ended(await start('2.1/jobs/run-now', { job_id: many })),
  ]);
  await runyard.waitForRun(submittedId, (run) => run.state.life_cycle_state === 'RUNNING');
  const running = await get(submittedId);
  await runyard.putFile('/open', '');
  const submitted = await ended(submittedId);
  const { runs: listed } = await runyard.callOk('GET', '2.0/jobs/runs/list');
  runs = {
    jobId,
    single,
    second,
    multi,
    taskRun: await get(multi.tasks[1].run_id),
    submitted,
    running,
    listed,
  };
});
afterAll(() => runyard.stop());

const sumOf = (run: ResponseBody): number =>
  run.setup_duration + run.execution_duration + run.cleanup_duration;
const length = (run: ResponseBody): number => run.end_time - run.start_time;

const rows: readonly (readonly [field: string, holds: (runs: Runs) => void])[] = [
  [
    'job_id',
    ({ jobId, single, submitted }) => {
      expect(single.job_id).toBe(jobId);
      expect(submitted.job_id).toBeGreaterThan(0);
    },
  ],
  [
    'run_id: unique across all runs of all jobs',
    ({ single, second, multi, submitted }) => {
      const ids = [single, second, multi, submitted, ...multi.tasks].map((run: ResponseBody) => run.run_id);
      expect(new Set(ids).size).toBe(6);
      expect(ids.every(Number.isSafeInteger)).toBe(true);
    },
  ],
  [
    'creator_user_name',
    ({ single, multi, submitted }) =>
      expect([single, multi, submitted].map((run) => run.creator_user_name)).toEqual([
        'admin',
        'admin',
        'admin',
      ]),
  ],
  [
    'number_in_job: from 1',
    ({ single, second, multi, submitted }) =>
      expect([single, second, multi, submitted].map((run) => run.number_in_job)).toEqual([1, 2, 1, 1]),
  ],
  [
    'original_attempt_run_id is the run id unless the run is a retry',
    ({ single, multi, taskRun }) => {
      for (const run of [single, multi, taskRun]) expect(run.original_attempt_run_id).toBe(run.run_id);
    },
  ],
  [
    'state',
    ({ single, multi, submitted }) => {
      for (const { state } of [single, multi, submitted])
        expect(state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
    },
  ],
  [
    'schedule is absent unless the scheduler started the run',
    ({ single, multi, submitted }) => {
      for (const run of [single, multi, submitted]) expect(run).not.toHaveProperty('schedule');
    },
  ],
  [
    'task',
    ({ single, multi, taskRun }) => {
      expect(single.task).toEqual(pythonTask);
      expect(taskRun.task).toEqual(pythonTask);
      expect(multi).not.toHaveProperty('task');
    },
  ],
  [
    'tasks contain run_id, key, description, dependencies, kind, cluster and state',
    ({ single, multi }) => {
      expect(multi.tasks).toMatchObject(
        tasks.map((task) => ({
          ...task,
          run_id: expect.any(Number),
          state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
        })),
      );
      expect(single).not.toHaveProperty('tasks');
    },
  ],
  [
    'tasks are empty in lists',
    ({ multi, listed }) => expect(listed.find((run) => run.run_id === multi.run_id).tasks).toEqual([]),
  ],
  [
    'cluster_spec',
    ({ single, taskRun, submitted }) => {
      expect(single.cluster_spec).toEqual({ new_cluster: newCluster, libraries });
      expect(taskRun.cluster_spec).toEqual({ job_cluster_key: 'shared' });
      expect(submitted.cluster_spec).toEqual({ existing_cluster_id: 'all-purpose' });
    },
  ],
  [
    'cluster_instance',
    ({ single, multi, submitted }) => {
      expect(single.cluster_instance).toEqual({
        cluster_id: expect.stringMatching(clusterId),
        spark_context_id: expect.stringMatching(/^\d+$/),
      });
      expect(multi.tasks[0].cluster_instance).toEqual({
        cluster_id: expect.stringMatching(clusterId),
        spark_context_id: expect.stringMatching(/^\d+$/),
      });
      expect(submitted.cluster_instance.cluster_id).toBe('all-purpose');
    },
  ],
  [
    'overriding_parameters',
    ({ single, second }) => {
      expect(single.overriding_parameters).toEqual({ python_params: ['x'] });
      expect(second).not.toHaveProperty('overriding_parameters');
    },
  ],
  [
    'start_time',
    ({ single, multi }) => {
      expect(single.start_time).toBeGreaterThan(1_700_000_000_000);
      expect(multi.tasks[0].start_time).toBeGreaterThanOrEqual(multi.start_time);
      expect(multi.tasks[1].start_time).toBeGreaterThanOrEqual(multi.tasks[0].end_time);
    },
  ],
  [
    'end_time is 0 while the run is active',
    ({ running, submitted }) => {
      expect(running.end_time).toBe(0);
      expect(submitted.end_time).toBeGreaterThan(submitted.start_time);
    },
  ],
  [
    'setup_duration, execution_duration and cleanup_duration add up to the total time, and are 0 for a multi-task run',
    ({ single, multi, taskRun }) => {
      expect(sumOf(single)).toBe(length(single));
      expect(sumOf(taskRun)).toBe(length(taskRun));
      expect(single.execution_duration).toBeGreaterThan(0);
      expect([multi.setup_duration, multi.execution_duration, multi.cleanup_duration]).toEqual([0, 0, 0]);
    },
  ],
  [
    'run_duration exists only in multi-task runs',
    ({ single, multi, taskRun }) => {
      expect(multi.run_duration).toBe(length(multi));
      for (const run of [single, taskRun, ...multi.tasks]) expect(run).not.toHaveProperty('run_duration');
    },
  ],
  [
    'trigger',
    ({ single, multi, submitted }) =>
      expect([single, multi, submitted].map((run) => run.trigger)).toEqual([
        'ONE_TIME',
        'ONE_TIME',
        'ONE_TIME',
      ]),
  ],
  [
    'run_name is Untitled by default',
    ({ single, multi, submitted }) =>
      expect([single, multi, submitted].map((run) => run.run_name)).toEqual(['one', 'many', 'Untitled']),
  ],
  [
    'run_page_url',
    ({ single, multi }) => {
      for (const run of [single, multi, ...multi.tasks])
        expect(run.run_page_url).toMatch(new RegExp(`^${runyard.url}/.*${run.run_id}$`));
    },
  ],
  [
    'run_type',
    ({ single, multi, submitted }) =>
      expect([single, multi, submitted].map((run) => run.run_type)).toEqual([
        'JOB_RUN',
        'JOB_RUN',
        'SUBMIT_RUN',
      ]),
  ],
  [
    'attempt_number is 0 for the first attempt',
    ({ single, multi, taskRun }) => {
      for (const run of [single, multi, taskRun, ...multi.tasks]) expect(run.attempt_number).toBe(0);
    },
  ],
  [
    'format',
    ({ single, multi, submitted }) =>
      expect([single, multi, submitted].map((run) => run.format)).toEqual([
        'SINGLE_TASK',
        'MULTI_TASK',
        'SINGLE_TASK',
      ]),
  ],
  [
    'runs/list returns the same fields as runs/get except tasks',
    ({ single, second, multi, submitted, listed }) => {
      const alone = [multi, second, single, submitted].map((run) =>
        run === multi ? { ...run, tasks: [] } : run,
      );
      expect(listed.toSorted((a, b) => a.run_id - b.run_id)).toEqual(
        alone.toSorted((a, b) => a.run_id - b.run_id),
      );
    },
  ],
];

test.each(rows)('spec 2.5 %s', (_field, holds) => holds(runs));
