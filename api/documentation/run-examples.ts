/** Examples of operations on runs. */
import type { Example } from './example.ts';
import { exampleSettings } from './job-examples.ts';

const start = 1_772_413_200_000;
const succeeded = {
  state: {
    life_cycle_state: 'TERMINATED',
    result_state: 'SUCCESS',
    state_message: '',
    user_cancelled_or_timedout: false,
  },
  status: { state: 'TERMINATED', termination_details: { code: 'SUCCESS', type: 'SUCCESS', message: '' } },
};

const facts = {
  job_id: 41,
  number_in_job: 3,
  creator_user_name: 'ada@example.org',
  run_name: 'nightly report',
  run_type: 'JOB_RUN',
  trigger: 'ONE_TIME',
};

const taskTimes = {
  start_time: start + 62_000,
  end_time: start + 120_500,
  setup_duration: 2_000,
  execution_duration: 56_000,
  cleanup_duration: 500,
};

const [cleanTask, reportTask] = exampleSettings.tasks;
const [clean, report] = [
  {
    ...cleanTask,
    run_id: 908,
    ...succeeded,
    attempt_number: 0,
    run_page_url: 'https://jobs.example.org/?o=1#job/41/run/908',
    start_time: start,
    end_time: start + 61_000,
    setup_duration: 1_000,
    execution_duration: 59_500,
    cleanup_duration: 500,
    cluster_instance: { cluster_id: '0302-020000-ab3de9x1', spark_context_id: '396622835768131600' },
  },
  {
    ...reportTask,
    run_id: 909,
    ...succeeded,
    attempt_number: 0,
    run_page_url: 'https://jobs.example.org/?o=1#job/41/run/909',
    ...taskTimes,
    cluster_instance: { cluster_id: '0302-020000-ab3de9x1', spark_context_id: '396622835768131600' },
  },
];

const run = {
  ...facts,
  run_id: 907,
  original_attempt_run_id: 907,
  run_page_url: 'https://jobs.example.org/?o=1#job/41/run/907',
  attempt_number: 0,
  ...succeeded,
  start_time: start,
  end_time: start + 121_000,
  setup_duration: 0,
  execution_duration: 0,
  cleanup_duration: 0,
  run_duration: 121_000,
  overriding_parameters: { notebook_params: { region: 'south' } },
  format: 'MULTI_TASK',
  tasks: [clean, report],
};

const taskRun = {
  ...facts,
  run_id: 909,
  original_attempt_run_id: 909,
  job_run_id: 907,
  parent_run_id: 907,
  task_key: 'report',
  run_page_url: 'https://jobs.example.org/?o=1#job/41/run/909',
  attempt_number: 0,
  ...succeeded,
  ...taskTimes,
  task: { notebook_task: reportTask?.notebook_task },
  format: 'MULTI_TASK',
};

export const runExamples: Readonly<Record<string, Example>> = {
  'POST /jobs/run-now': {
    request: { job_id: 41, notebook_params: { region: 'south' }, idempotency_token: 'report-2026-03-02' },
    answer: { run_id: 907, number_in_job: 3 },
  },
  'POST /jobs/run-now-batch': {
    request: {
      job_id: 41,
      runs: [{ notebook_params: { region: 'south' } }, { notebook_params: { region: 'north' } }],
    },
    answer: {
      runs: [
        { run_id: 907, number_in_job: 3 },
        { run_id: 908, number_in_job: 4 },
      ],
    },
  },
  'POST /jobs/runs/submit': {
    request: {
      run_name: 'one-time clean-up',
      tasks: [
        {
          task_key: 'clean',
          existing_cluster_id: 'all-purpose',
          spark_python_task: { python_file: 'managed_fs:/jobs/clean.py' },
        },
      ],
      timeout_seconds: 600,
      idempotency_token: 'clean-up-17',
    },
    answer: { run_id: 910 },
  },
  'GET /jobs/runs/list': {
    request: { job_id: 41, completed_only: true, limit: 1 },
    answer: { runs: [{ ...run, tasks: [] }], has_more: false },
  },
  'GET /jobs/runs/get': { request: { run_id: 907 }, answer: run },
  'GET /jobs/runs/get-output': {
    request: { run_id: 909 },
    answer: { metadata: taskRun, notebook_output: { result: '{"rows": 1461}', truncated: false } },
  },
  'GET /jobs/runs/export': {
    request: { run_id: 909, views_to_export: 'CODE' },
    answer: { views: [{ content: '<!doctype html>…', name: 'daily', type: 'NOTEBOOK' }] },
  },
  'GET /jobs/runs/logs': {
    request: { run_id: 908, stream: 'stderr', offset: 0, limit: 65_536 },
    answer: {
      run_id: 908,
      stream: 'stderr',
      offset: 0,
      next_offset: 17,
      size: 17,
      complete: false,
      content: 'Reading part 907\n',
    },
  },
  'GET /jobs/runs/logs/stream': {
    request: { run_id: 908, stream: 'stderr', timeout_seconds: 0 },
    answer: 'id: 17\nevent: log\ndata: {"offset":0,"content":"Reading part 907\\n"}\n\n',
  },
  'GET /jobs/runs/bundle': { request: { run_id: 907 }, answer: '(the bytes of run-907.tar.gz)' },
  'POST /jobs/runs/cancel': { request: { run_id: 907 }, answer: {} },
  'POST /jobs/runs/cancel-all': { request: { job_id: 41 }, answer: {} },
  'POST /jobs/runs/delete': { request: { run_id: 907 }, answer: {} },
  'POST /jobs/runs/repair': {
    request: { run_id: 907, rerun_all_failed_tasks: true },
    answer: { repair_id: 1 },
  },
};
