/**
 * Launch of a stored job in one round trip, when nothing has to be decided: the job is below its limit, none of its runs
 * waits in the queue, and the workspace is far from its limit. Every other launch takes the launch transaction.
 */
import type { Clock } from './clock.ts';
import { ServiceError } from './errors.ts';
import { defaultName, formatOf, tasksOf } from './job/job-format.ts';
import type { JobSettings, TaskSettings } from './job/settings.ts';
import type { LaunchRunRequest } from './launch-request.ts';
import type { Limits } from './limits.ts';
import { notificationsForStart } from './notification/routing.ts';
import type { LaunchedRun, PendingLaunch, PendingLauncher, PendingRun, PendingTask } from './ports/runs.ts';
import { maxConcurrentRunsOf } from './run/admission.ts';
import { clusterChoiceOf } from './run/cluster-choice.ts';
import { toRunWithTasks } from './run/new-run.ts';
import { countParallelTasks } from './run/parallel-tasks.ts';
import { checkRunNowParameters } from './run/parameters.ts';
import type { Progress, RunWithTasks } from './run/run.ts';
import { stepOf } from './run/step.ts';
import { waitingMessage } from './run/waiting-message.ts';

interface PendingLaunchPorts {
  readonly pendingLauncher?: PendingLauncher | undefined;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly nodeId: string;
  /** Waits while the engine has more short runs than it can end; undefined: never. */
  readonly waitForTurn?: (() => Promise<void>) | undefined;
  /** Returns the data directory while its disk is full: no task begins then. */
  readonly findFullDisk?: (() => string | undefined) | undefined;
  readonly acceptRun: (run: RunWithTasks) => void;
}

/** Starts a run, or returns undefined: the launch transaction then decides about it. */
export async function launchPendingRun(
  ports: PendingLaunchPorts,
  request: LaunchRunRequest,
): Promise<LaunchedRun | undefined> {
  const { pendingLauncher, nodeId, acceptRun } = ports;
  const { jobId, idempotencyToken = '', launchedBy, child } = request;
  if (pendingLauncher === undefined || idempotencyToken !== '') return undefined;
  if (launchedBy !== undefined || child !== undefined) return undefined;
  await ports.waitForTurn?.();
  const known = await pendingLauncher.findJob(jobId);
  const launch = known && toPendingLaunch(known, request, ports);
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
  { limits, findFullDisk }: PendingLaunchPorts,
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
    ...(findFullDisk?.() !== undefined && { tasks: plan.tasks.map((task) => ({ ...task, begins: false })) }),
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
      begins: beginsWithLaunch(task, settings),
    })),
  };
  plans.set(settings, plan);
  return plan;
}

/**
 * Returns whether a task begins in the transaction that stores its run: it waits for no task, needs no cluster, and its
 * start has no notifications. It saves the write of the beginning.
 */
function beginsWithLaunch(task: TaskSettings, settings: JobSettings): boolean {
  const subject = { jobId: 0, runId: 0, now: 0 };
  return (
    (task.depends_on ?? []).length === 0 &&
    clusterChoiceOf(task, settings).kind === 'none' &&
    [task, settings].every((holder) => notificationsForStart(holder, subject).length === 0)
  );
}

function toAcceptedRun(
  { known: { job }, name, parallelTasks, tasks, creator, parameters }: PendingLaunch,
  { runId, numberInJob, startTime, taskRunIds }: PendingRun,
  nodeId: string,
): RunWithTasks {
  const pending = toRunWithTasks({
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
    tasks: tasks.map((task, index) => ({ ...task, runId: taskRunIds[index] ?? runId })),
  });
  return tasks.some(({ begins }) => begins) ? beginTasks(pending, tasks, startTime) : pending;
}

/** Returns the run after the beginning of its first tasks, which the launch has stored. */
function beginTasks(
  { run, tasks }: RunWithTasks,
  planned: readonly PendingTask[],
  now: number,
): RunWithTasks {
  const begun = (subject: { runId: number; fence: number; progress: Progress }, kind: 'run' | 'task') => ({
    progress: stepOf({ ...subject, kind }, 'begin', now).progress,
  });
  return {
    run: { ...run, ...begun(run, 'run') },
    tasks: tasks.map((task, index) =>
      planned[index]?.begins === true ? { ...task, ...begun(task, 'task') } : task,
    ),
  };
}
