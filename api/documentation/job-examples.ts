/** Examples of operations on jobs, permissions and the current user. */
import type { Example } from './example.ts';

export const exampleSettings = {
  name: 'nightly report',
  job_clusters: [
    {
      job_cluster_key: 'shared',
      new_cluster: {
        spark_version: '16.4.x-scala2.12',
        node_type_id: 'standard-2',
        num_workers: 1,
        spark_env_vars: { STAGE: 'production' },
      },
    },
  ],
  tasks: [
    {
      task_key: 'clean',
      job_cluster_key: 'shared',
      spark_python_task: { python_file: 'managed_fs:/jobs/clean.py', parameters: ['--day', '2026-03-01'] },
    },
    {
      task_key: 'report',
      job_cluster_key: 'shared',
      depends_on: [{ task_key: 'clean' }],
      notebook_task: { notebook_path: '/reports/daily', base_parameters: { region: 'north' } },
      timeout_seconds: 3_600,
    },
  ],
  schedule: {
    quartz_cron_expression: '0 30 2 * * ?',
    timezone_id: 'Europe/Berlin',
    pause_status: 'UNPAUSED',
  },
  email_notifications: { on_failure: ['team@example.org'] },
  max_concurrent_runs: 1,
};

const job = {
  job_id: 41,
  creator_user_name: 'ada@example.org',
  run_as: 'ada@example.org',
  run_as_user_name: 'ada@example.org',
  created_time: 1_772_409_600_000,
  settings: { ...exampleSettings, format: 'MULTI_TASK' },
};

const { tasks: _tasks, ...listedSettings } = job.settings;

const permissions = {
  object_id: '/jobs/41',
  object_type: 'job',
  access_control_list: [
    {
      user_name: 'ada@example.org',
      display_name: 'ada@example.org',
      all_permissions: [{ permission_level: 'IS_OWNER', inherited: false }],
    },
    {
      user_name: 'ben@example.org',
      display_name: 'ben@example.org',
      all_permissions: [{ permission_level: 'CAN_MANAGE_RUN', inherited: false }],
    },
    {
      group_name: 'admins',
      all_permissions: [
        { permission_level: 'CAN_MANAGE', inherited: true, inherited_from_object: ['/jobs/'] },
      ],
    },
  ],
};

const grant = {
  job_id: 41,
  access_control_list: [{ user_name: 'ben@example.org', permission_level: 'CAN_MANAGE_RUN' }],
};

export const jobExamples: Readonly<Record<string, Example>> = {
  'POST /jobs/create': { request: exampleSettings, answer: { job_id: 41 } },
  'GET /jobs/get': { request: { job_id: 41 }, answer: job },
  'GET /jobs/list': {
    request: { limit: 25, name: 'nightly report' },
    answer: { jobs: [{ ...job, settings: listedSettings }], has_more: false },
  },
  'POST /jobs/reset': {
    request: { job_id: 41, new_settings: { ...exampleSettings, max_concurrent_runs: 2 } },
    answer: {},
  },
  'POST /jobs/update': {
    request: {
      job_id: 41,
      new_settings: { name: 'nightly report of the north', max_concurrent_runs: 2 },
      fields_to_remove: ['schedule'],
    },
    answer: {},
  },
  'POST /jobs/delete': { request: { job_id: 41 }, answer: {} },
  'GET /jobs/schedule/preview': {
    request: {
      quartz_cron_expression: '0 30 2 ? * SUN',
      timezone_id: 'Europe/Berlin',
      after: 1_805_500_800_000,
      count: 2,
    },
    answer: {
      description: 'at 02:30 every Sunday',
      fire_times: [
        { time: 1_805_592_600_000, local: '2027-03-21T02:30:00+01:00' },
        {
          time: 1_806_798_600_000,
          local: '2027-04-04T02:30:00+02:00',
          note: 'On 2027-03-28 02:30 does not exist and is skipped: the clocks go forward from 02:00 to 03:00.',
        },
      ],
    },
  },
  'GET /permissions/jobs/:job_id': { request: { job_id: 41 }, answer: permissions },
  'PUT /permissions/jobs/:job_id': { request: grant, answer: permissions },
  'PATCH /permissions/jobs/:job_id': { request: grant, answer: permissions },
  'GET /permissions/jobs/:job_id/permissionLevels': {
    request: { job_id: 41 },
    answer: {
      permission_levels: [
        { permission_level: 'CAN_VIEW', description: 'Can view the job, its runs and their output.' },
      ],
    },
  },
  'GET /preview/scim/v2/Me': {
    request: {},
    answer: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: '1',
      userName: 'ada@example.org',
      displayName: 'ada@example.org',
      active: true,
      groups: [{ display: 'users' }],
    },
  },
};
