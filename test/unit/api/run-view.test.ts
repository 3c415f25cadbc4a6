/** Runs in responses of the API versions. */
import { describe, expect, test } from 'vitest';
import { toStateView } from '../../../api/views/run-view-fields.ts';
import { toOutputMetadata, toRunListView, toRunView } from '../../../api/views/run-view.ts';
import type { Progress, RunWithTasks } from '../../../engine/run/run.ts';
import {
  face,
  facts,
  multi,
  newCluster,
  notebook,
  run,
  start,
  succeeded,
  task,
  waiting,
} from './run-view-fixtures.ts';

const running: Progress = {
  state: 'RUNNING',
  startTime: start,
  runningTime: start + 1_000,
  terminatingTime: undefined,
  message: '',
};

const single: RunWithTasks = {
  run: run(
    { new_cluster: newCluster, notebook_task: notebook, libraries: [{ jar: 'managed_fs:/a.jar' }] },
    { overridingParameters: { notebook_params: { a: '1' } } },
  ),
  tasks: [task(900, 'main', succeeded, { clusterId: '0211-141122-ab3de9x1', sparkContextId: '42' })],
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
])('spec 2.6: a state document contains all fields: %j', (progress, shown) => {
  expect(toStateView(progress)).toEqual(shown);
});

describe('spec 2.5, 9: a single-task run', () => {
  test('in 2.0 contains task, cluster, parameters and actual durations', () => {
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

  test('in a 2.0 list equals the single run', () => {
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

  test('has no run_duration and end_time 0 while active', () => {
    const shown = toRunView({ ...multi, run: { ...multi.run, progress: running } }, face('2.1'));
    expect(shown).toMatchObject({ end_time: 0, start_time: start, run_duration: undefined });
  });

  test.each(['2.0', '2.1', '2.2'] as const)('is listed in %s with empty tasks', (version) => {
    expect(toRunListView(multi, face(version))).toMatchObject({ ...facts, tasks: [] });
  });

  test('contains the existing cluster of a task before its start', () => {
    const shown = toRunView({ ...multi, tasks: [task(901, 'b', waiting)] }, face('2.1'));
    expect(shown).toMatchObject({ tasks: [{ cluster_instance: { cluster_id: 'c-1' } }] });
  });

  test('contains the schedule for the trigger PERIODIC', () => {
    const schedule = { quartz_cron_expression: '0 0 * * * ?', timezone_id: 'UTC' };
    const scheduled = { ...multi, run: run({ ...multi.run.settings, schedule }, { trigger: 'PERIODIC' }) };
    expect(toRunView(scheduled, face('2.0'))).toMatchObject({ trigger: 'PERIODIC', schedule });
    expect(toRunView({ ...multi, run: run({ ...multi.run.settings, schedule }) }, face('2.0'))).toMatchObject(
      { schedule: undefined },
    );
  });
});

describe('a failed run', () => {
  const failed: Progress = { ...succeeded, result: 'FAILED', message: 'Task b failed.' };
  const broken = { ...multi, run: { ...multi.run, progress: failed } };
  const brokenSingle = { ...single, run: { ...single.run, progress: failed } };

  test.each([
    ['2.0', broken, 'TERMINATED'],
    ['2.1', broken, 'TERMINATED'],
    ['2.2', broken, 'INTERNAL_ERROR'],
    ['2.0', brokenSingle, 'TERMINATED'],
    ['2.1', brokenSingle, 'TERMINATED'],
    ['2.2', brokenSingle, 'INTERNAL_ERROR'],
  ] as const)('in %s has the life-cycle state that its clients wait for', (version, found, life) => {
    const state = { life_cycle_state: life, result_state: 'FAILED', state_message: 'Task b failed.' };
    expect(toRunView(found, face(version))).toMatchObject({ state });
    expect(toRunListView(found, face(version))).toMatchObject({ state });
  });

  test('in 2.2 has TERMINATED task runs, and TERMINATED is the end of every other run', () => {
    expect(toRunView(broken, face('2.2'))).toMatchObject({
      tasks: [{ state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }, {}, {}],
    });
    for (const result of ['SUCCESS', 'CANCELED', 'TIMEDOUT'] as const) {
      const ended = { ...multi.run, progress: { ...succeeded, result } };
      expect(toRunView({ ...multi, run: ended }, face('2.2'))).toMatchObject({
        state: { life_cycle_state: 'TERMINATED', result_state: result },
      });
    }
  });
});

describe('spec 2.5, 4.1.10: the metadata of the output of a single-task run', () => {
  const skipped: Progress = {
    state: 'SKIPPED',
    message: 'limit',
    startTime: start,
    runningTime: undefined,
    terminatingTime: undefined,
    endTime: start,
  };
  const queued = {
    run: { ...single.run, admittedTime: start + 600 },
    tasks: [task(900, 'main', { ...succeeded, startTime: start + 700 })],
  };
  const notStarted = {
    run: { ...single.run, progress: skipped },
    tasks: [task(900, 'main', { ...skipped, startTime: undefined })],
  };

  test.each(
    (['2.0', '2.1', '2.2'] as const).flatMap((version) =>
      [single, queued, notStarted].map((found) => [version, found] as const),
    ),
  )('in %s is the run as runs/get shows it', (version, found) => {
    const [attempt] = found.tasks;
    expect(attempt && toOutputMetadata(found, attempt, face(version))).toMatchObject({
      ...toRunView(found, face(version)),
      task_key: 'main',
      job_run_id: 900,
    });
  });

  test('has the start of the run, a setup without the queue, and the times of a skipped run', () => {
    expect(toRunView(queued, face('2.0'))).toMatchObject({ start_time: start, setup_duration: 400 });
    const times = { start_time: start, end_time: start };
    expect(toRunView(notStarted, face('2.1'))).toMatchObject({ ...times, tasks: [times] });
  });
});
