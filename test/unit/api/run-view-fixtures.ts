/** Fixtures of the tests of run views: a single-task run and a multi-task run. */
import { type ViewContext } from '../../../api/views/run-view-fields.ts';
import type { ApiVersion } from '../../../engine/job/job-format.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import type { Progress, Run, RunWithTasks, TaskRun } from '../../../engine/run/run.ts';

export const start = 1_770_000_000_000;

export const notebook = { notebook_path: '/Users/u/nb' };

export const waiting: Progress = {
  state: 'PENDING',
  startTime: undefined,
  runningTime: undefined,
  terminatingTime: undefined,
  message: 'Waiting for the task a',
};

export const succeeded = {
  state: 'TERMINATED',
  result: 'SUCCESS',
  message: '',
  startTime: start,
  runningTime: start + 1_000,
  terminatingTime: start + 5_000,
  endTime: start + 5_500,
} as const satisfies Progress;

const failed: Progress = {
  ...succeeded,
  result: 'FAILED',
  message: 'Workload failed, see run output for details',
};

export function face(version: ApiVersion): ViewContext {
  return { version, workspaceInfo: { publicUrl: () => 'http://h', workspaceId: '1' } };
}

export function run(settings: JobSettings, more: Partial<Run> = {}): Run {
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

export function task(
  runId: number,
  taskKey: string,
  progress: Progress,
  more: Partial<TaskRun> = {},
): TaskRun {
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

export const newCluster = { spark_version: '16', node_type_id: 'small', num_workers: 1 };

export const multi: RunWithTasks = {
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
    task(902, 'b', succeeded, { attempt: 1, dueTime: start }),
  ],
};

export const facts = {
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
