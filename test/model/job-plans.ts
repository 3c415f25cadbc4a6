/** Jobs of the model, and their conversion to settings of the engine. */
import type { JobSettings, SubmitSettings, TaskSettings } from '../../engine/job/settings.ts';

export type RunCondition =
  | 'ALL_SUCCESS'
  | 'AT_LEAST_ONE_SUCCESS'
  | 'NONE_FAILED'
  | 'ALL_DONE'
  | 'AT_LEAST_ONE_FAILED'
  | 'ALL_FAILED';

export interface TaskPlan {
  readonly key: string;
  readonly dependsOn: readonly string[];
  readonly runIf: RunCondition;
  /** max_retries; -1 is unlimited. */
  readonly retries: number;
  readonly intervalMs: number;
  readonly retryOnTimeout: boolean;
  /** 0 means no timeout. */
  readonly timeoutSeconds: number;
  readonly cluster: 'existing' | 'own' | 'shared';
  /** Threshold of the health rule; 0 means no rule. */
  readonly healthSeconds: number;
  /** alert_on_last_attempt: notifications for the first start and the last end only. */
  readonly alertOnLastAttempt: boolean;
  /** Index of the job that it runs; undefined for a task with a process. */
  readonly childJobIndex: number | undefined;
}

export interface JobPlan {
  /** Single-task format: the task is `main`, with the timeout, health rule and notifications of the job. */
  readonly singleTask: boolean;
  readonly tasks: readonly TaskPlan[];
  readonly timeoutSeconds: number;
  readonly maxConcurrent: number;
  readonly queue: boolean;
  readonly healthSeconds: number;
  readonly alertOnLastAttempt: boolean;
  readonly muteSkipped: boolean;
  readonly muteCanceled: boolean;
}

const alertEvents = [
  'on_start',
  'on_success',
  'on_failure',
  'on_duration_warning_threshold_exceeded',
] as const;
const alertRecipients = Object.fromEntries(alertEvents.map((list) => [list, ['ann@example.com']]));

const health = (seconds: number) =>
  seconds === 0
    ? {}
    : {
        health: {
          rules: [
            {
              metric: 'RUN_DURATION_SECONDS' as const,
              op: 'GREATER_THAN',
              operator: 'GREATER_THAN' as const,
              value: seconds,
            },
          ],
        },
      };
const cluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };

/** Converts a plan to job settings. @param jobIdOf returns the id of a job by its index */
export function settingsOf(plan: JobPlan, jobIdOf: (index: number) => number): JobSettings & SubmitSettings {
  const job = {
    queue: { enabled: plan.queue },
    max_concurrent_runs: plan.maxConcurrent,
    email_notifications: alertRecipients,
    ...health(plan.healthSeconds),
    notification_settings: {
      no_alert_for_skipped_runs: plan.muteSkipped,
      no_alert_for_canceled_runs: plan.muteCanceled,
      alert_on_last_attempt: plan.alertOnLastAttempt,
    },
  };
  const [only] = plan.tasks;
  if (plan.singleTask && only !== undefined)
    return { ...job, ...workloadSettings(only, jobIdOf), timeout_seconds: only.timeoutSeconds };
  return {
    ...job,
    timeout_seconds: plan.timeoutSeconds,
    job_clusters: [{ job_cluster_key: 'shared', new_cluster: cluster }],
    tasks: plan.tasks.map((task): TaskSettings => ({
      task_key: task.key,
      depends_on: task.dependsOn.map((key) => ({ task_key: key })),
      run_if: task.runIf,
      timeout_seconds: task.timeoutSeconds,
      email_notifications: alertRecipients,
      ...health(task.healthSeconds),
      notification_settings: { alert_on_last_attempt: task.alertOnLastAttempt },
      ...workloadSettings(task, jobIdOf),
    })),
  };
}

function workloadSettings(task: TaskPlan, jobIdOf: (index: number) => number) {
  const policy = {
    max_retries: task.retries,
    min_retry_interval_millis: task.intervalMs,
    retry_on_timeout: task.retryOnTimeout,
  };
  if (task.childJobIndex !== undefined)
    return { ...policy, run_job_task: { job_id: jobIdOf(task.childJobIndex) } };
  const clusters = {
    existing: { existing_cluster_id: 'all-purpose' },
    own: { new_cluster: cluster },
    shared: { job_cluster_key: 'shared' },
  };
  return { ...policy, notebook_task: { notebook_path: '/n' }, ...clusters[task.cluster] };
}

/** Returns the plan with other timeouts; 0 means none. */
export function withTimeouts(plan: JobPlan, runSeconds: number, taskSeconds: number): JobPlan {
  return {
    ...plan,
    timeoutSeconds: runSeconds,
    tasks: plan.tasks.map((task) => ({ ...task, timeoutSeconds: taskSeconds })),
  };
}

/** Returns the plan with other retries and conditions of all its tasks. */
export function withPolicies(
  plan: JobPlan,
  policies: Pick<TaskPlan, 'retries' | 'runIf' | 'alertOnLastAttempt'>,
): JobPlan {
  const { retries, runIf, alertOnLastAttempt } = policies;
  return {
    ...plan,
    alertOnLastAttempt,
    tasks: plan.tasks.map((task) => ({ ...task, retries, runIf, alertOnLastAttempt })),
  };
}
