/**
 * Random jobs of a scenario: single tasks and graphs with various outcomes, retries, limits and
 * notifications.
 */
import type { JobSettings, SubmitSettings, TaskSettings } from '../../engine/job/settings.ts';
import { runConditions } from '../../engine/run/roll-up.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Path in managed_fs of the program that all tasks run. */
export const programPath = '/chaos-task.py';

/** Relative frequency of each task behavior. Tasks that never end by themselves get a timeout. */
const behaviorWeights = {
  succeed: 50,
  fail: 8,
  'fail-first': 10,
  hang: 4,
  stubborn: 2,
  'leaves-child': 6,
} as const;
type TaskBehavior = keyof typeof behaviorWeights;

const endlessBehaviors: ReadonlySet<TaskBehavior> = new Set(['hang', 'stubborn']);

type ProgramSettings = Pick<TaskSettings, 'spark_python_task' | 'timeout_seconds'>;

/** @param attempt reference from which the program reads its attempt */
function drawProgramSettings(random: SeededRandom, attempt: string): ProgramSettings {
  const behavior = random.weighted(behaviorWeights);
  const spec = { behavior, seconds: random.pick([0, 0, 0.1, 0.3, 0.8, 2]), lines: random.pick([1, 10, 200]) };
  return {
    spark_python_task: {
      python_file: `managed_fs:${programPath}`,
      parameters: [JSON.stringify(spec), attempt],
    },
    ...(endlessBehaviors.has(behavior) && { timeout_seconds: random.integer(1, 3) }),
  };
}

type RetryPolicy = Pick<TaskSettings, 'max_retries' | 'min_retry_interval_millis' | 'retry_on_timeout'>;

function drawRetryPolicy(random: SeededRandom): RetryPolicy {
  return {
    max_retries: random.integer(0, 3),
    ...(random.chance(0.5) && { min_retry_interval_millis: random.pick([0, 200, 1_000, 2_500]) }),
    ...(random.chance(0.5) && { retry_on_timeout: true }),
  };
}

type AlertSettings = Pick<TaskSettings, 'email_notifications' | 'health'>;

function drawAlertSettings(random: SeededRandom, name: string): AlertSettings {
  if (random.chance(0.4)) return {};
  return {
    email_notifications: {
      on_start: [`${name}-start@example.com`],
      on_success: [`${name}-success@example.com`],
      on_failure: [`${name}-failure@example.com`, `${name}-second@example.com`],
      on_duration_warning_threshold_exceeded: [`${name}-slow@example.com`],
    },
    ...(random.chance(0.6) && {
      health: {
        rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: random.integer(1, 4) }],
      },
    }),
  };
}

const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

type ComputeSettings = Pick<TaskSettings, 'existing_cluster_id' | 'new_cluster' | 'job_cluster_key'>;

function drawComputeSettings(random: SeededRandom, shared: boolean): ComputeSettings {
  if (shared && random.chance(0.5)) return { job_cluster_key: 'shared' };
  return random.chance(0.6)
    ? { existing_cluster_id: random.pick(['blue', 'green']) }
    : { new_cluster: newCluster };
}

/** Draws a single-task job (API 2.0), whose retries are separate runs. */
function drawSingleTaskJob(random: SeededRandom, name: string): JobSettings {
  return {
    ...drawProgramSettings(random, '{{job.trigger.type}}'),
    ...drawRetryPolicy(random),
    ...drawAlertSettings(random, name),
    ...drawComputeSettings(random, false),
  };
}

/** Draws a multi-task job in which each task depends on up to two earlier tasks. */
function drawGraphJob(
  random: SeededRandom,
  name: string,
  { children = [], mayShare = true }: { readonly children?: readonly number[]; readonly mayShare?: boolean },
): JobSettings {
  const keys = Array.from({ length: random.integer(1, 5) }, (_, index) => `t${index}`);
  const shared = mayShare && random.chance(0.5);
  const tasks = keys.map((key, index): TaskSettings => {
    const before = [
      ...new Set(
        index === 0
          ? []
          : Array.from({ length: random.integer(0, 2) }, () => random.pick(keys.slice(0, index))),
      ),
    ];
    const child = children.length > 0 && random.chance(0.2) ? random.pick(children) : undefined;
    return {
      task_key: key,
      ...drawRetryPolicy(random),
      ...drawAlertSettings(random, `${name}-${key}`),
      ...(child === undefined
        ? { ...drawProgramSettings(random, '{{task_retry_count}}'), ...drawComputeSettings(random, shared) }
        : { run_job_task: { job_id: child } }),
      ...(before.length > 0 && {
        depends_on: before.map((task_key) => ({ task_key })),
        run_if: random.pick([...runConditions, 'ALL_SUCCESS', 'ALL_DONE']),
      }),
    };
  });
  return {
    tasks,
    ...drawAlertSettings(random, name),
    ...(tasks.some((task) => task.job_cluster_key !== undefined) && {
      job_clusters: [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    }),
    ...(random.chance(0.15) && { timeout_seconds: random.integer(2, 5) }),
  };
}

/** Job of a scenario; `children` are the jobs that its run_job_tasks may start. */
export interface ChaosJob {
  readonly version: '2.0' | '2.1';
  settings(children: readonly number[]): JobSettings;
  /** True for a job whose tasks may start other jobs. */
  readonly startsChildRuns: boolean;
}

/** Draws the stored jobs of a scenario. */
export function drawJobs(random: SeededRandom, count: number): ChaosJob[] {
  return Array.from({ length: count }, (_, index): ChaosJob => {
    const name = `job-${index}`;
    const own = random.fork(name);
    const single = own.chance(0.4);
    const parent = !single && index >= (count * 2) / 3;
    const shape = { name, max_concurrent_runs: own.integer(1, 5), queue: { enabled: own.chance(0.6) } };
    return {
      startsChildRuns: parent,
      version: single ? '2.0' : '2.1',
      settings: (children) => ({
        ...shape,
        ...(single ? drawSingleTaskJob(own, name) : drawGraphJob(own, name, parent ? { children } : {})),
      }),
    };
  });
}

/** Draws a one-time submission. */
export function drawSubmission(
  random: SeededRandom,
  name: string,
): { readonly version: '2.0' | '2.1'; readonly settings: SubmitSettings } {
  const single = random.chance(0.5);
  return {
    version: single ? '2.0' : '2.1',
    settings: {
      run_name: name,
      ...(single ? drawSingleTaskJob(random, name) : drawGraphJob(random, name, { mayShare: false })),
    },
  };
}
