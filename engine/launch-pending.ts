/**
 * Launch of a stored job in one round trip, when nothing has to be decided: the job is below its limit, none of its runs
 * waits in the queue, and the workspace is far from its limit. Every other launch takes the launch transaction.
 */
import type { Clock } from './clock.ts';
import { ServiceError } from './errors.ts';
import { defaultName, formatOf, tasksOf } from './job/job-format.ts';
import type { JobSettings } from './job/settings.ts';
import type { LaunchRunRequest } from './launch-request.ts';
import type { Limits } from './limits.ts';
import type { LaunchedRun, PendingLaunch, PendingLauncher, PendingRun } from './ports/runs.ts';
import { maxConcurrentRunsOf } from './run/admission.ts';
import { toRunWithTasks } from './run/new-run.ts';
import { countParallelTasks } from './run/parallel-tasks.ts';
import { checkRunNowParameters } from './run/parameters.ts';
import type { RunWithTasks } from './run/run.ts';
import { waitingMessage } from './run/waiting-message.ts';

interface PendingLaunchPorts {
  readonly pendingLauncher?: PendingLauncher | undefined;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly nodeId: string;
  readonly acceptRun: (run: RunWithTasks) => void;
}

/** Starts a run, or returns undefined: the launch transaction then decides about it. */
export async function launchPendingRun(
  ports: PendingLaunchPorts,
  request: LaunchRunRequest,
): Promise<LaunchedRun | undefined> {
  const { pendingLauncher, limits, nodeId, acceptRun } = ports;
  const { jobId, idempotencyToken = '', launchedBy, child } = request;
  if (pendingLauncher === undefined || idempotencyToken !== '') return undefined;
  if (launchedBy !== undefined || child !== undefined) return undefined;
  const known = await pendingLauncher.findJob(jobId);
  const launch = known && toPendingLaunch({ ...known }, request, limits);
  if (launch === undefined) return undefined;
  const stored = await pendingLauncher.launch(launch);
  if (stored === undefined) return undefined;
  acceptRun(toAcceptedRun(launch, stored, nodeId));
  return { runId: stored.runId, numberInJob: stored.numberInJob };
}

/** Returns undefined for parameters that the known settings refuse: the current ones may accept them. */
function toPendingLaunch(
  known: PendingLaunch['known'],
  { parameters, creator }: LaunchRunRequest,
  limits: Limits,
): PendingLaunch | undefined {
  const { settings } = known.job;
  const plan = planOf(settings);
  // The number of run_job_tasks has a limit of its own.
  if (plan.parallelTasks.runJobTasks > 0) return undefined;
  try {
    checkRunNowParameters(parameters, settings, limits);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
  return {
    ...plan,
    known,
    creator,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
  };
}

type JobPlan = Pick<PendingLaunch, 'maxConcurrentRuns' | 'name' | 'parallelTasks' | 'tasks'>;

/** Plans of the settings that are known: the same for all runs of a revision. */
const plans = new WeakMap<JobSettings, JobPlan>();

function planOf(settings: JobSettings): JobPlan {
  const known = plans.get(settings);
  if (known !== undefined) return known;
  const tasks = tasksOf(settings);
  const plan = {
    maxConcurrentRuns: maxConcurrentRunsOf(settings),
    name: settings.name ?? defaultName,
    parallelTasks: countParallelTasks(tasks),
    tasks: tasks.map((task) => ({
      taskKey: task.task_key,
      message: waitingMessage((task.depends_on ?? []).map((dependency) => dependency.task_key)),
    })),
  };
  plans.set(settings, plan);
  return plan;
}

function toAcceptedRun(
  { known: { job }, name, parallelTasks, tasks, creator, parameters }: PendingLaunch,
  { runId, numberInJob, startTime, taskRunIds }: PendingRun,
  nodeId: string,
): RunWithTasks {
  return toRunWithTasks({
    runId,
    numberInJob,
    startTime,
    name,
    creator,
    jobId: job.jobId,
    owner: nodeId,
    settings: job.settings,
    format: formatOf(job.settings),
    version: job.version,
    type: 'JOB_RUN',
    trigger: 'ONE_TIME',
    scheduledTime: undefined,
    overridingParameters: parameters,
    state: 'PENDING',
    queueCode: undefined,
    message: '',
    originalAttemptRunId: runId,
    attempt: 0,
    launchedBy: undefined,
    parentTaskRun: undefined,
    parallelTasks,
    notifications: [],
    tasks: tasks.map((task) => ({ ...task, runId: taskRunIds[task.taskKey] ?? runId })),
  });
}
