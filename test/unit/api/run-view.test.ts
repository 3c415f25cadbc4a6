/** Runs on the three faces. */
import { describe, expect, test } from 'vitest';
import { toStateView, type ViewContext } from '../../../api/views/run-view-fields.ts';
import { toRunListView, toRunView } from '../../../api/views/run-view.ts';
import { toTaskRunView } from '../../../api/views/task-run-view.ts';
import type { ApiVersion } from '../../../engine/job/job-format.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import type { Progress, Run, RunWithTasks, TaskRun } from '../../../engine/run/run.ts';

const start = 1_770_000_000_000;
const notebook = { notebook_path: '/Users/u/nb' };

const waiting: Progress = {
  state: 'PENDING',
  startTime: undefined,
  runningTime: undefined,
  terminatingTime: undefined,
  message: 'Waiting for the task a',
};
const running: Progress = {
  state: 'RUNNING',
  startTime: start,
  runningTime: start + 1_000,
  terminatingTime: undefined,
  message: '',
};
const succeeded: Progress = {
  state: 'TERMINATED',
  result: 'SUCCESS',
  message: '',
  startTime: start,
  runningTime: start + 1_000,
  terminatingTime: start + 5_000,
  endTime: start + 5_500,
};
const failed: Progress = {
  ...succeeded,
  result: 'FAILED',
  message: 'Workload failed, see run output for details',
};

function face(version: ApiVersion): ViewContext {
  return { version, workspaceInfo: { publicUrl: () => 'http://h', workspaceId: '1' } };
}

function run(settings: JobSettings, more: Partial<Run> = {}): Run {
  return {
    runId: 900,
    jobId: 41,
    numberInJob: 3,
    format: settings.tasks === undefined ? 'SINGLE_TASK' : 'MULTI_TASK',
    version: '2.0',
    name: 'nightly',
    type: 'JOB_RUN',
    trigger: 'ONE_TIME',
    creatorUserName: 'a@x',
    settings,
    overridingParameters: undefined,
    originalAttemptRunId: 900,
    attempt: 0,
    stopReason: undefined,
    owner: 'n',
    fence: 1,
    repair: undefined,
    admittedTime: undefined,
    launchedBy: undefined,
    timeoutRevision: 0,
    warned: false,
    progress: succeeded,
    ...more,
  };
}

function task(runId: number, taskKey: string, progress: Progress, more: Partial<TaskRun> = {}): TaskRun {
  return {
    runId,
    jobRunId: 900,
    taskKey,
    attempt: 0,
    fence: 1,
    clusterId: undefined,
    sparkContextId: undefined,
    dueTime: undefined,
    stopReason: undefined,
    warned: false,
    progress,
    ...more,
  };
}

const newCluster = { spark_version: '16', node_type_id: 'small', num_workers: 1 };
const single: RunWithTasks = {
  run: run(
    { new_cluster: newCluster, notebook_task: notebook, libraries: [{ jar: 'managed_fs:/a.jar' }] },
    { overridingParameters: { notebook_params: { a: '1' } } },
  ),
  tasks: [task(900, 'main', succeeded, { clusterId: '0211-141122-ab3de9x1', sparkContextId: '42' })],
};
const multi: RunWithTasks = {
  run: run({
    tasks: [
      { task_key: 'b', description: 'first', existing_cluster_id: 'c-1', notebook_task: notebook },
      {
        task_key: 'a',
        depends_on: [{ task_key: 'b' }],
        job_cluster_key: 'k',
        spark_python_task: { python_file: 'managed_fs:/x.py' },
        libraries: [{ pypi: { package: 'p' } }],
      },
    ],
    job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }],
  }),
  tasks: [
    task(903, 'a', waiting),
    task(901, 'b', failed, { clusterId: 'c-1', sparkContextId: '42' }),
    task(902, 'b', succeeded, { attempt: 1 }),
  ],
};

const facts = {
  job_id: 41,
  run_id: 900,
  number_in_job: 3,
  original_attempt_run_id: 900,
  creator_user_name: 'a@x',
  run_name: 'nightly',
  run_type: 'JOB_RUN',
  run_page_url: 'http://h/?o=1#job/41/run/900',
  trigger: 'ONE_TIME',
  attempt_number: 0,
};
const success = {
  life_cycle_state: 'TERMINATED',
  result_state: 'SUCCESS',
  state_message: '',
  user_cancelled_or_timedout: false,
};

test.each<[Progress, object]>([
  [
    waiting,
    {
      life_cycle_state: 'PENDING',
      state_message: 'Waiting for the task a',
      user_cancelled_or_timedout: false,
    },
  ],
  [running, { life_cycle_state: 'RUNNING', state_message: '', user_cancelled_or_timedout: false }],
  [succeeded, success],
  [
    { ...succeeded, result: 'CANCELED' },
    { ...success, result_state: 'CANCELED', user_cancelled_or_timedout: true },
  ],
  [
    { ...succeeded, result: 'TIMEDOUT' },
    { ...success, result_state: 'TIMEDOUT', user_cancelled_or_timedout: true },
  ],
  [
    {
      state: 'SKIPPED',
      message: 'limit',
      startTime: start,
      runningTime: undefined,
      terminatingTime: undefined,
      endTime: start,
    },
    { life_cycle_state: 'SKIPPED', state_message: 'limit', user_cancelled_or_timedout: false },
  ],
])('spec 2.6: a state is shown with all its fields: %j', (progress, shown) => {
  expect(toStateView(progress)).toEqual(shown);
});

describe('spec 2.5, 9: a single-task run', () => {
  test('in 2.0 has its task, its cluster, its parameters and real durations', () => {
    expect(toRunView(single, face('2.0'))).toEqual({
      ...facts,
      state: success,
      start_time: start,
      end_time: start + 5_500,
      setup_duration: 1_000,
      execution_duration: 4_000,
      cleanup_duration: 500,
      overriding_parameters: { notebook_params: { a: '1' } },
      task: { notebook_task: notebook },
      cluster_spec: { new_cluster: newCluster, libraries: [{ jar: 'managed_fs:/a.jar' }] },
      cluster_instance: { cluster_id: '0211-141122-ab3de9x1', spark_context_id: '42' },
      format: 'SINGLE_TASK',
    });
  });

  test('is listed in 2.0 as it is shown alone', () => {
    expect(toRunListView(single, face('2.0'))).toEqual(toRunView(single, face('2.0')));
  });

  test.each(['2.1', '2.2'] as const)(
    'in %s is a multi-task run with the task main, which carries the id of the run',
    (version) => {
      expect(toRunView(single, face(version))).toMatchObject({
        ...facts,
        format: 'MULTI_TASK',
        setup_duration: 0,
        execution_duration: 0,
        cleanup_duration: 0,
        run_duration: 5_500,
        overriding_parameters: { notebook_params: { a: '1' } },
        tasks: [
          {
            run_id: 900,
            task_key: 'main',
            run_if: 'ALL_SUCCESS',
            attempt_number: 0,
            state: success,
            new_cluster: newCluster,
            notebook_task: { ...notebook, source: 'WORKSPACE' },
            setup_duration: 1_000,
            execution_duration: 4_000,
            cleanup_duration: 500,
            cluster_instance: { cluster_id: '0211-141122-ab3de9x1', spark_context_id: '42' },
          },
        ],
      });
      expect(toRunView(single, face(version))).not.toHaveProperty('task');
    },
  );
});

describe('spec 2.5, 9: a multi-task run', () => {
  test.each(['2.0', '2.1', '2.2'] as const)(
    'in %s has no durations but its length, and every attempt in the order of the settings',
    (version) => {
      expect(toRunView(multi, face(version))).toMatchObject({
        ...facts,
        format: 'MULTI_TASK',
        setup_duration: 0,
        execution_duration: 0,
        cleanup_duration: 0,
        run_duration: 5_500,
        job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }],
        tasks: [
          {
            run_id: 901,
            task_key: 'b',
            description: 'first',
            attempt_number: 0,
            existing_cluster_id: 'c-1',
            state: { result_state: 'FAILED' },
            cluster_instance: { cluster_id: 'c-1', spark_context_id: '42' },
          },
          {
            run_id: 902,
            task_key: 'b',
            attempt_number: 1,
            start_time: start,
            end_time: start + 5_500,
            setup_duration: 1_000,
            execution_duration: 4_000,
            cleanup_duration: 500,
          },
          {
            run_id: 903,
            task_key: 'a',
            depends_on: [{ task_key: 'b' }],
            job_cluster_key: 'k',
            libraries: [{ pypi: { package: 'p' } }],
            spark_python_task: { python_file: 'managed_fs:/x.py' },
            start_time: 0,
            end_time: 0,
            run_page_url: 'http://h/?o=1#job/41/run/903',
            state: { life_cycle_state: 'PENDING', state_message: 'Waiting for the task a' },
          },
        ],
      });
    },
  );

  test('has no run_duration and end_time 0 while it runs', () => {
    const shown = toRunView({ ...multi, run: { ...multi.run, progress: running } }, face('2.1'));
    expect(shown).toMatchObject({ end_time: 0, start_time: start, run_duration: undefined });
  });

  test.each(['2.0', '2.1', '2.2'] as const)('is listed in %s with empty tasks', (version) => {
    expect(toRunListView(multi, face(version))).toMatchObject({ ...facts, tasks: [] });
  });

  test('shows the cluster of a task on an existing cluster before it is started', () => {
    const shown = toRunView({ ...multi, tasks: [task(901, 'b', waiting)] }, face('2.1'));
    expect(shown).toMatchObject({ tasks: [{ cluster_instance: { cluster_id: 'c-1' } }] });
  });

  test('shows the schedule when the scheduler started it', () => {
    const schedule = { quartz_cron_expression: '0 0 * * * ?', timezone_id: 'UTC' };
    const scheduled = { ...multi, run: run({ ...multi.run.settings, schedule }, { trigger: 'PERIODIC' }) };
    expect(toRunView(scheduled, face('2.0'))).toMatchObject({ trigger: 'PERIODIC', schedule });
    expect(toRunView({ ...multi, run: run({ ...multi.run.settings, schedule }) }, face('2.0'))).toMatchObject(
      { schedule: undefined },
    );
  });
});

describe('spec 4.1.7: a task run asked for by its own id', () => {
  test('in 2.0 is a run of one task, with the run that it belongs to', () => {
    const [, first] = multi.tasks;
    expect(first && toTaskRunView(multi, first, face('2.0'))).toMatchObject({
      ...facts,
      run_id: 901,
      job_run_id: 900,
      parent_run_id: 900,
      task_key: 'b',
      original_attempt_run_id: 901,
      format: 'SINGLE_TASK',
      run_page_url: 'http://h/?o=1#job/41/run/901',
      task: { notebook_task: notebook },
      cluster_spec: { existing_cluster_id: 'c-1' },
      execution_duration: 4_000,
      tasks: undefined,
    });
  });

  test('from 2.1 on it also has tasks with this one entry, and no run_duration', () => {
    const [, first] = multi.tasks;
    const shown = first && toTaskRunView(multi, first, face('2.1'));
    expect(shown).toMatchObject({ format: 'MULTI_TASK', tasks: [{ run_id: 901, task_key: 'b' }] });
    expect(shown).not.toHaveProperty('run_duration');
  });

  test('a later attempt is a retry of the first', () => {
    const retried = multi.tasks[2];
    expect(retried && toTaskRunView(multi, retried, face('2.1'))).toMatchObject({
      run_id: 902,
      attempt_number: 1,
      trigger: 'RETRY',
      original_attempt_run_id: 901,
    });
  });
});
