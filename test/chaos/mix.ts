/**
 * The jobs of a scene, drawn from its seed: single tasks and graphs, good ones and bad ones, with retries,
 * limits and notices.
 */
import type { JobSettings, SubmitSettings, TaskSettings } from '../../engine/job/settings.ts';
import { runConditions } from '../../engine/run/roll-up.ts';
import type { Random } from './random.ts';

/** Where the program of all tasks lies in managed_fs. */
export const programPath = '/chaos-task.py';

/** What a task does -> how often it is drawn. Those that never end by themselves have a timeout. */
const acts = { succeed: 50, fail: 8, 'fail-first': 10, hang: 4, stubborn: 2, 'leaves-child': 6 } as const;
type Act = keyof typeof acts;

const endless: ReadonlySet<Act> = new Set(['hang', 'stubborn']);

type Work = Pick<TaskSettings, 'spark_python_task' | 'timeout_seconds'>;

/** @param attempt reference that tells the program which attempt it is */
function workOf(random: Random, attempt: string): Work {
  const act = random.weighted(acts);
  const spec = { act, seconds: random.pick([0, 0, 0.1, 0.3, 0.8, 2]), lines: random.pick([1, 10, 200]) };
  return {
    spark_python_task: {
      python_file: `managed_fs:${programPath}`,
      parameters: [JSON.stringify(spec), attempt],
    },
    ...(endless.has(act) && { timeout_seconds: random.between(1, 3) }),
  };
}

type Policy = Pick<TaskSettings, 'max_retries' | 'min_retry_interval_millis' | 'retry_on_timeout'>;

function policyOf(random: Random): Policy {
  return {
    max_retries: random.between(0, 3),
    ...(random.chance(0.5) && { min_retry_interval_millis: random.pick([0, 200, 1_000, 2_500]) }),
    ...(random.chance(0.5) && { retry_on_timeout: true }),
  };
}

type Alerts = Pick<TaskSettings, 'email_notifications' | 'health'>;

function alertsOf(random: Random, who: string): Alerts {
  if (random.chance(0.4)) return {};
  return {
    email_notifications: {
      on_start: [`${who}-start@example.com`],
      on_success: [`${who}-success@example.com`],
      on_failure: [`${who}-failure@example.com`, `${who}-second@example.com`],
      on_duration_warning_threshold_exceeded: [`${who}-slow@example.com`],
    },
    ...(random.chance(0.6) && {
      health: {
        rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: random.between(1, 4) }],
      },
    }),
  };
}

const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

type Compute = Pick<TaskSettings, 'existing_cluster_id' | 'new_cluster' | 'job_cluster_key'>;

function computeOf(random: Random, shared: boolean): Compute {
  if (shared && random.chance(0.5)) return { job_cluster_key: 'shared' };
  return random.chance(0.6)
    ? { existing_cluster_id: random.pick(['blue', 'green']) }
    : { new_cluster: newCluster };
}

/** A job with one task, in the format of 2.0: its retries are runs of their own. */
function singleTask(random: Random, name: string): JobSettings {
  return {
    ...workOf(random, '{{job.trigger.type}}'),
    ...policyOf(random),
    ...alertsOf(random, name),
    ...computeOf(random, false),
  };
}

/** A graph: each task depends on up to two before it. Its retries are task runs within the run. */
function graph(
  random: Random,
  name: string,
  { children = [], mayShare = true }: { readonly children?: readonly number[]; readonly mayShare?: boolean },
): JobSettings {
  const keys = Array.from({ length: random.between(1, 5) }, (_, index) => `t${index}`);
  const shared = mayShare && random.chance(0.5);
  const tasks = keys.map((key, index): TaskSettings => {
    const before = [
      ...new Set(
        index === 0
          ? []
          : Array.from({ length: random.between(0, 2) }, () => random.pick(keys.slice(0, index))),
      ),
    ];
    const child = children.length > 0 && random.chance(0.2) ? random.pick(children) : undefined;
    return {
      task_key: key,
      ...policyOf(random),
      ...alertsOf(random, `${name}-${key}`),
      ...(child === undefined
        ? { ...workOf(random, '{{task_retry_count}}'), ...computeOf(random, shared) }
        : { run_job_task: { job_id: child } }),
      ...(before.length > 0 && {
        depends_on: before.map((task_key) => ({ task_key })),
        run_if: random.pick([...runConditions, 'ALL_SUCCESS', 'ALL_DONE']),
      }),
    };
  });
  return {
    tasks,
    ...alertsOf(random, name),
    ...(tasks.some((task) => task.job_cluster_key !== undefined) && {
      job_clusters: [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    }),
    ...(random.chance(0.15) && { timeout_seconds: random.between(2, 5) }),
  };
}

/** A job of a scene; `children` are the jobs that its run_job_tasks may start. */
export interface ChaosJob {
  readonly version: '2.0' | '2.1';
  settings(children: readonly number[]): JobSettings;
  /** True for a job whose tasks may start others: it is created after them. */
  readonly parent: boolean;
}

/** The stored jobs of a scene. */
export function jobsOf(random: Random, count: number): ChaosJob[] {
  return Array.from({ length: count }, (_, index): ChaosJob => {
    const name = `job-${index}`;
    const own = random.fork(name);
    const single = own.chance(0.4);
    const parent = !single && index >= (count * 2) / 3;
    const shape = { name, max_concurrent_runs: own.between(1, 5), queue: { enabled: own.chance(0.6) } };
    return {
      parent,
      version: single ? '2.0' : '2.1',
      settings: (children) => ({
        ...shape,
        ...(single ? singleTask(own, name) : graph(own, name, parent ? { children } : {})),
      }),
    };
  });
}

/** A one-time submission. */
export function submissionOf(
  random: Random,
  name: string,
): { readonly version: '2.0' | '2.1'; readonly settings: SubmitSettings } {
  const single = random.chance(0.5);
  return {
    version: single ? '2.0' : '2.1',
    settings: {
      run_name: name,
      ...(single ? singleTask(random, name) : graph(random, name, { mayShare: false })),
    },
  };
}
