/** Schemas of job settings, tasks and one-time submissions (spec 2.2-2.4, 4.1). Unknown fields are kept. */
import { Type, type Static } from 'typebox';
import {
  JobEmailNotifications,
  JobNotificationSettings,
  JobsHealthRules,
  WebhookNotifications,
} from './notification-settings.ts';
import { Library, NewCluster } from './cluster.ts';
import { int32, entityKey, stringMap } from '../validation/scalars.ts';
import { taskKindFields } from './task-kinds.ts';
import { Trigger } from './trigger.ts';

export const CronSchedule = Type.Object(
  {
    quartz_cron_expression: Type.String({
      description: 'Quartz cron expression: second minute hour day-of-month month day-of-week [year].',
    }),
    timezone_id: Type.String({ description: 'Java time zone id, for example Europe/Berlin.' }),
    pause_status: Type.Optional(Type.Enum(['PAUSED', 'UNPAUSED'], { description: 'Default: UNPAUSED.' })),
    misfire_policy: Type.Optional(
      Type.Enum(['FIRE_ONCE', 'SKIP', 'FIRE_ALL'], {
        description:
          'What happens to fires missed while the engine was down: one run, none, or each (at most 100). Default: FIRE_ONCE.',
      }),
    ),
  },
  { description: 'Schedule of the job.' },
);

export const JobCluster = Type.Object(
  { job_cluster_key: entityKey('Key by which tasks name this cluster.'), new_cluster: NewCluster },
  {
    description:
      'A cluster shared by tasks of one run: created for the first task that uses it, terminated after the last.',
  },
);

export const Queue = Type.Object(
  {
    enabled: Type.Boolean({
      description: 'A run over a concurrency limit waits instead of being skipped or refused.',
    }),
  },
  { description: 'Whether runs may wait in the queue. Default: off in 2.0 and 2.1, on in 2.2.' },
);

export const JobParameter = Type.Object(
  {
    name: Type.String({ description: 'Name.' }),
    default: Type.String({
      description: 'Default value. May refer to values of the run, such as `{{job.start_time.iso_date}}`.',
    }),
  },
  {
    description:
      'A parameter of the job: a widget of its notebooks, and `{{job.parameters.<name>}}` in the parameters of all tasks.',
  },
);

export const RunAs = Type.Object(
  {
    user_name: Type.Optional(Type.String({ description: 'A user. Alternative: service_principal_name.' })),
    service_principal_name: Type.Optional(
      Type.String({ description: 'Application id of a service principal.' }),
    ),
  },
  {
    description:
      'User as whom the job runs: only the creator, or with job access control the owner, is accepted.',
  },
);

const TaskDependency = Type.Object(
  {
    task_key: Type.String({ description: 'Task that must complete first.' }),
    outcome: Type.Optional(Type.String({ description: 'Required outcome of a condition.' })),
  },
  { description: 'An edge of the graph.' },
);

const clusterFields = {
  // May be empty when no cluster is needed (spec 2.2). The id becomes the name of a directory.
  existing_cluster_id: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{0,100}$',
      description: 'Existing cluster to run on. Alternative: new_cluster.',
    }),
  ),
  new_cluster: Type.Optional(NewCluster),
};

const attemptFields = {
  libraries: Type.Optional(
    Type.Array(Library, { description: 'Libraries installed before the task starts. Default: none.' }),
  ),
  max_retries: Type.Optional(
    int32(-1, 'Maximum number of retries: -1 for no limit, 0 for none. Default: 0.'),
  ),
  min_retry_interval_millis: Type.Optional(
    int32(0, 'Minimum time between the start of the failed run and its retry, in ms. Default: 0.'),
  ),
  retry_on_timeout: Type.Optional(
    Type.Boolean({ description: 'Retries runs that timed out. Default: false.' }),
  ),
};

const notificationFields = {
  email_notifications: Type.Optional(JobEmailNotifications),
  webhook_notifications: Type.Optional(WebhookNotifications),
  notification_settings: Type.Optional(JobNotificationSettings),
  health: Type.Optional(JobsHealthRules),
  timeout_seconds: Type.Optional(
    int32(0, 'Maximum duration of a run in seconds, 0 for no limit. Default: 0.'),
  ),
};

export const TaskSettings = Type.Object(
  {
    task_key: entityKey('Key of the task, unique within the job.'),
    description: Type.Optional(Type.String({ description: 'Free text.' })),
    depends_on: Type.Optional(Type.Array(TaskDependency, { description: 'Tasks that must complete first.' })),
    run_if: Type.Optional(
      Type.Enum(
        [
          'ALL_SUCCESS',
          'AT_LEAST_ONE_SUCCESS',
          'NONE_FAILED',
          'ALL_DONE',
          'AT_LEAST_ONE_FAILED',
          'ALL_FAILED',
        ],
        { description: 'Required results of the dependencies. Default: ALL_SUCCESS.' },
      ),
    ),
    job_cluster_key: Type.Optional(
      Type.String({
        description: 'Entry of job_clusters to run on. Alternatives: new_cluster, existing_cluster_id.',
      }),
    ),
    ...clusterFields,
    ...taskKindFields,
    ...attemptFields,
    ...notificationFields,
  },
  {
    description:
      'One task of a multi-task job: exactly one task kind, one cluster, and settings of the task.',
  },
);

const taskListFields = {
  tasks: Type.Optional(Type.Array(TaskSettings, { description: 'Multi-task format only; at most 100.' })),
  job_clusters: Type.Optional(
    Type.Array(JobCluster, { description: 'Shared clusters, multi-task format only; at most 100.' }),
  ),
  format: Type.Optional(
    Type.Enum(['SINGLE_TASK', 'MULTI_TASK'], {
      description: 'Follows from the shape: MULTI_TASK where tasks is given. Always shown.',
    }),
  ),
};

export const JobSettings = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Name of the job. Default: Untitled.' })),
    description: Type.Optional(Type.String({ description: 'Free text.' })),
    tags: Type.Optional(stringMap('Tags of the job.')),
    parameters: Type.Optional(Type.Array(JobParameter, { description: 'Parameters of the job.' })),
    queue: Type.Optional(Queue),
    run_as: Type.Optional(RunAs),
    schedule: Type.Optional(CronSchedule),
    trigger: Type.Optional(Trigger),
    max_concurrent_runs: Type.Optional(
      int32(0, 'Maximum number of concurrent runs; 0 skips every new run. At most 1000. Default: 1.'),
    ),
    ...clusterFields,
    ...taskKindFields,
    ...attemptFields,
    ...notificationFields,
    ...taskListFields,
  },
  { description: 'Settings of a job and all its runs.' },
);

export const SubmitSettings = Type.Object(
  {
    run_name: Type.Optional(
      Type.String({ description: 'Name of the run, at most 4096 bytes of UTF-8. Default: Untitled.' }),
    ),
    idempotency_token: Type.Optional(
      Type.String({
        description:
          'At most 64 characters. A repeated token returns the existing run instead of starting a new one.',
      }),
    ),
    queue: Type.Optional(Queue),
    run_as: Type.Optional(RunAs),
    tags: Type.Optional(stringMap('Tags of the run.')),
    parameters: Type.Optional(
      Type.Array(JobParameter, { description: 'Parameters of the run, with their values as defaults.' }),
    ),
    ...clusterFields,
    ...taskKindFields,
    ...attemptFields,
    ...notificationFields,
    ...taskListFields,
  },
  { description: 'A one-time run without a stored job.' },
);

export type CronSchedule = Static<typeof CronSchedule>;
export type JobCluster = Static<typeof JobCluster>;
export type RunAs = Static<typeof RunAs>;
export type JobParameter = Static<typeof JobParameter>;
export type TaskSettings = Static<typeof TaskSettings>;
export type JobSettings = Static<typeof JobSettings>;
export type SubmitSettings = Static<typeof SubmitSettings>;
