/**
 * The one door through which every run starts: run-now, one-time submissions, run_job_tasks and retries; one
 * transaction each.
 */
import { notificationsForEnd } from './notification/routing.ts';
import type { Clock } from './clock.ts';
import { invalid, jobNotFound } from './errors.ts';
import { checkIdempotencyToken } from './job/check-settings.ts';
import { formatOf, toJobSettings, tasksOf, defaultName, type ApiVersion } from './job/job-format.ts';
import { checkJobCreations } from './job/quotas.ts';
import type { Grant } from './job/permissions.ts';
import type { JobSettings, SubmitSettings, TaskSettings } from './job/settings.ts';
import { builtInKindOf } from './job/task-kinds.ts';
import { fixedLimits, type Limits } from './limits.ts';
import type { Job } from './ports/jobs.ts';
import type { ChangeSet, LaunchHook, LaunchedRun, LaunchTransaction, RunStore } from './ports/runs.ts';
import {
  assertCapacity,
  decideAdmission,
  decideCapacity,
  capacityRefusal,
  type Admission,
  type CapacityUsage,
} from './run/admission.ts';
import { waitingMessage } from './run/waiting-message.ts';
import { toRunWithTasks, type NewRun } from './run/new-run.ts';
import { checkRunNowParameters, type RunParameters } from './run/parameters.ts';
import { createRunRetry, type Retry } from './run/retry.ts';
import type { RunType, RunWithTasks } from './run/run.ts';

export interface LaunchPorts {
  readonly runs: Pick<RunStore, 'launchTransaction' | 'find'>;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The node that owns what is launched here. */
  readonly nodeId: string;
  /** Takes over a run that is stored. */
  readonly acceptRun: (run: RunWithTasks) => void;
}

export interface LaunchRunRequest {
  readonly jobId: number;
  readonly parameters: RunParameters;
  readonly idempotencyToken: string | undefined;
  readonly creator: string;
  /** Whether the run may wait in the queue; undefined: as the job says. */
  readonly queue?: boolean | undefined;
  /** The task run of a run_job_task that asks: it gets one run, however often it asks. */
  readonly launchedBy?: number;
  readonly child?: ChildRunOrigin;
}

/** A run that a task starts while it runs: one for each key, however often it asks. */
export interface ChildRunOrigin {
  /** Of the key: no job's. */
  readonly idempotencyScope: number;
  readonly key: string;
  /** The task run that asks. */
  readonly parentTaskRun: number;
}

/**
 * Starts a run of a stored job (spec 4.1 rule 4).
 * @param onOutage `retry` waits while the database is away: for those whom `launchedBy` or a token keeps
 *   from a second run
 * @throws ServiceError for an unknown job, parameters that break a rule, the token of a deleted run, or a
 *   workspace that is full
 */
export async function launchRun(
  ports: LaunchPorts,
  request: LaunchRunRequest,
  onOutage?: 'retry',
): Promise<LaunchedRun> {
  const { jobId, parameters, idempotencyToken, creator, launchedBy, child } = request;
  checkIdempotencyToken(idempotencyToken, ports.limits);
  return launchWithPlan(
    ports,
    async (transaction) => {
      const job = await transaction.lockJob(jobId);
      const earlier = launchedBy === undefined ? undefined : await transaction.findLaunchedRun(launchedBy);
      if (earlier !== undefined) throw new AlreadyLaunched(earlier);
      // Read under the lock: the runs of a job start in the order of their numbers.
      const now = ports.clock.now();
      if (job === undefined) throw jobNotFound(jobId);
      checkRunNowParameters(parameters, job.settings, ports.limits);
      const { settings } = job;
      const load = await transaction.countRuns(jobId);
      const mayQueue = request.queue ?? isQueueEnabled(settings, job.version);
      const admission = decideAdmission({
        activeRuns: load.active,
        queuedRuns: load.queued,
        maxConcurrentRuns: settings.max_concurrent_runs ?? 1,
        mayQueue,
      });
      return {
        idempotencyScope: child?.idempotencyScope ?? jobId,
        idempotencyToken: child?.key ?? idempotencyToken,
        resolveJobId: async () => jobId,
        settings,
        parameters,
        creator,
        now,
        admission,
        launchedBy,
        parentTaskRun: child?.parentTaskRun,
        // A task that waits for its job anyhow may as well wait for room.
        mayQueue: mayQueue || launchedBy !== undefined,
        type: 'JOB_RUN',
        name: settings.name ?? defaultName,
        version: job.version,
      };
    },
    onOutage,
  );
}

export interface SubmitRunRequest {
  /** Checked by `checkSubmission`. */
  readonly settings: SubmitSettings;
  readonly version: ApiVersion;
  readonly creator: string;
  /** Who else may do what with the run. */
  readonly grants?: readonly Grant[];
  /** Set for a notebook that another one runs. */
  readonly child?: ChildRunOrigin;
  readonly launchHook?: LaunchHook;
}

/**
 * Starts a one-time run without a stored job (spec 4.1 rule 5). It carries a hidden job of its own.
 * @throws ServiceError for the idempotency token of a deleted run, too many creations, or a workspace that is
 *   full
 */
export async function submitRun(
  ports: LaunchPorts,
  submission: SubmitRunRequest,
  onOutage?: 'retry',
): Promise<LaunchedRun> {
  const settings = toJobSettings(submission.settings, submission.version);
  const { child, launchHook } = submission;
  return launchWithPlan(
    ports,
    async (transaction, now) => {
      await launchHook?.beforeAdmission(transaction);
      return {
        idempotencyScope: child?.idempotencyScope ?? submissionScope,
        idempotencyToken: child?.key ?? submission.settings.idempotency_token,
        parentTaskRun: child?.parentTaskRun,
        launchHook,
        async resolveJobId() {
          checkJobCreations(
            await transaction.countJobsCreated(now - fixedLimits.jobCreationWindowMs),
            ports.limits,
          );
          return transaction.createHiddenJob(
            settings,
            submission.version,
            submission.creator,
            now,
            submission.grants,
          );
        },
        settings,
        parameters: {},
        creator: submission.creator,
        now,
        admission: { kind: 'start' },
        launchedBy: undefined,
        mayQueue: isQueueEnabled(settings, submission.version),
        type: child === undefined ? 'SUBMIT_RUN' : 'WORKFLOW_RUN',
        name: settings.name ?? defaultName,
        version: submission.version,
      };
    },
    onOutage,
  );
}

/** A fire of a schedule. */
export interface ScheduledLaunchRequest {
  /** Locked by the caller's transaction. */
  readonly job: Job;
  /** For which it was due, epoch ms. */
  readonly scheduledTime: number;
}

/**
 * Stores a run that a schedule starts, inside a transaction of the caller, who has it accepted once that is
 * committed. Where others are refused because the workspace is full, it is skipped: there is nobody who would
 * ask again.
 */
export async function launchScheduledRun(
  ports: Omit<LaunchPorts, 'accept' | 'runs'>,
  transaction: LaunchTransaction,
  { job, scheduledTime }: ScheduledLaunchRequest,
): Promise<NewRun> {
  const { jobId, settings, version } = job;
  const load = await transaction.countRuns(jobId);
  const mayQueue = isQueueEnabled(settings, version);
  return insertPlannedRun(ports, transaction, {
    idempotencyScope: jobId,
    idempotencyToken: undefined,
    resolveJobId: async () => jobId,
    settings,
    parameters: {},
    creator: job.creatorUserName ?? '',
    now: ports.clock.now(),
    type: 'JOB_RUN',
    name: settings.name ?? defaultName,
    version,
    scheduledTime,
    mayQueue,
    launchedBy: undefined,
    admission: decideAdmission({
      activeRuns: load.active,
      queuedRuns: load.queued,
      maxConcurrentRuns: settings.max_concurrent_runs ?? 1,
      mayQueue,
    }),
  });
}

/** Idempotency tokens of submissions share one scope, which is no job's. */
const submissionScope = 0;

/** Everything that a launch has decided before it takes numbers. */
interface LaunchPlan {
  readonly idempotencyScope: number;
  readonly idempotencyToken: string | undefined;
  /** The job that carries the run; called once it is known that no earlier run has the token. */
  readonly resolveJobId: () => Promise<number>;
  readonly settings: JobSettings;
  readonly parameters: RunParameters;
  readonly creator: string;
  readonly now: number;
  readonly type: RunType;
  readonly name: string;
  readonly version: ApiVersion;
  /** What the limit of the job makes of it. */
  readonly admission: Admission;
  /** Whether it may wait in the queue for room in the workspace. */
  readonly mayQueue: boolean;
  readonly launchedBy: number | undefined;
  readonly parentTaskRun?: number | undefined;
  readonly launchHook?: LaunchHook | undefined;
  /** Set for a fire of a schedule. */
  readonly scheduledTime?: number;
}

class AlreadyLaunched extends Error {
  readonly earlier: LaunchedRun;
  constructor(earlier: LaunchedRun) {
    super('This idempotency token was used before.');
    this.earlier = earlier;
  }
}

async function launchWithPlan(
  ports: LaunchPorts,
  plan: (transaction: LaunchTransaction, now: number) => Promise<LaunchPlan>,
  onOutage?: 'retry',
): Promise<LaunchedRun> {
  try {
    const run = await ports.runs.launchTransaction(
      async (transaction) => insertPlannedRun(ports, transaction, await plan(transaction, ports.clock.now())),
      onOutage,
    );
    if (run.state === 'PENDING') ports.acceptRun(toRunWithTasks(run));
    return { runId: run.runId, numberInJob: run.numberInJob };
  } catch (error) {
    // Leaving by an exception undoes what the transaction did before it knew.
    if (error instanceof AlreadyLaunched)
      return { runId: error.earlier.runId, numberInJob: error.earlier.numberInJob };
    throw error;
  }
}

async function insertPlannedRun(
  ports: Omit<LaunchPorts, 'accept' | 'runs'>,
  transaction: LaunchTransaction,
  plan: LaunchPlan,
): Promise<NewRun> {
  const tasks = tasksOf(plan.settings);
  const format = formatOf(plan.settings);
  // A single-task run is its own task run: one id for both.
  const ids = await transaction.reserveRunIds(format === 'SINGLE_TASK' ? 1 : tasks.length + 1);
  const [runId = 0] = ids;
  if (plan.idempotencyToken !== undefined && plan.idempotencyToken !== '')
    await claimIdempotencyToken(transaction, plan.idempotencyScope, plan.idempotencyToken, runId);
  const jobId = await plan.resolveJobId();
  const numberInJob = await transaction.reserveNumberInJob(jobId);
  const admission =
    plan.admission.kind === 'start'
      ? await reserveCapacity(transaction, tasks, plan, ports.limits)
      : plan.admission;
  const skipped = admission.kind === 'skip' ? admission.message : undefined;
  const run: NewRun = {
    runId,
    jobId,
    numberInJob,
    format,
    version: plan.version,
    name: plan.name,
    type: plan.type,
    creator: plan.creator,
    settings: plan.settings,
    trigger: plan.scheduledTime === undefined ? 'ONE_TIME' : 'PERIODIC',
    scheduledTime: plan.scheduledTime,
    overridingParameters: Object.keys(plan.parameters).length === 0 ? undefined : plan.parameters,
    state: stateOfAdmission[admission.kind],
    queueCode: admission.kind === 'queue' ? admission.code : undefined,
    message: admission.kind === 'start' ? '' : admission.message,
    startTime: plan.now,
    owner: ports.nodeId,
    originalAttemptRunId: runId,
    attempt: 0,
    launchedBy: plan.launchedBy,
    parentTaskRun: plan.parentTaskRun,
    tasks: tasks.map((task, index) => ({
      runId: ids[format === 'SINGLE_TASK' ? 0 : index + 1] ?? runId,
      taskKey: task.task_key,
      message: skipped ?? waitingMessage((task.depends_on ?? []).map((dependency) => dependency.task_key)),
    })),
    notifications:
      skipped === undefined
        ? []
        : notificationsForEnd(
            plan.settings,
            {
              state: 'SKIPPED',
              message: skipped,
              startTime: plan.now,
              endTime: plan.now,
              runningTime: undefined,
              terminatingTime: undefined,
            },
            { jobId, runId, now: plan.now },
          ),
  };
  await transaction.insertRun(run);
  await plan.launchHook?.afterInsert(transaction, runId);
  return run;
}

const stateOfAdmission = { start: 'PENDING', queue: 'QUEUED', skip: 'SKIPPED' } as const satisfies Record<
  Admission['kind'],
  NewRun['state']
>;

/**
 * Whether there is room for these tasks in the workspace. @throws ServiceError REQUEST_LIMIT_EXCEEDED when
 * not, and the run may not wait
 */
async function reserveCapacity(
  transaction: LaunchTransaction,
  tasks: readonly TaskSettings[],
  { mayQueue, scheduledTime }: Pick<LaunchPlan, 'mayQueue' | 'scheduledTime'>,
  limits: Limits,
): Promise<Admission> {
  const facts = await capacityUsageOf(transaction, tasks, limits);
  const refusal = scheduledTime === undefined ? undefined : capacityRefusal(facts, limits, mayQueue);
  if (refusal !== undefined) return { kind: 'skip', message: refusal };
  assertCapacity(facts, limits, mayQueue);
  return mayQueue ? decideCapacity(facts, limits) : { kind: 'start' };
}

/**
 * How full the workspace is, and what a run of these tasks would add; nobody else takes the room until the
 * transaction ends.
 */
export async function capacityUsageOf(
  transaction: LaunchTransaction,
  tasks: readonly TaskSettings[],
  limits: Limits,
): Promise<CapacityUsage> {
  const addedRunJobTasks = tasks.filter((task) => builtInKindOf(task) === 'run_job_task').length;
  const load = await transaction.countActiveTaskRuns(
    tasks.length,
    limits.concurrentTaskRuns,
    addedRunJobTasks > 0,
  );
  return { ...load, addedTaskRuns: tasks.length, addedRunJobTasks };
}

/**
 * Whether runs may wait in the queue: as the settings say, else by the version that made the job (WIRE: on in
 * 2.2).
 */
function isQueueEnabled({ queue }: Pick<JobSettings, 'queue'>, version: ApiVersion): boolean {
  return queue?.enabled ?? version === '2.2';
}

async function claimIdempotencyToken(
  transaction: LaunchTransaction,
  scope: number,
  token: string,
  runId: number,
): Promise<void> {
  const claim = await transaction.claimIdempotencyToken(scope, token, runId);
  if (claim === 'claimed') return;
  if (claim.deleted) throw invalid(`The run started with idempotency_token "${token}" has been deleted.`);
  throw new AlreadyLaunched(claim);
}

/** The end of a single-task run that is followed by a retry. */
export interface RetryRunRequest {
  readonly runId: number;
  readonly jobId: number;
  readonly retry: Retry;
  /**
   * The end to be written; `retried` is false when the run was stopped or its job deleted meanwhile, so that
   * no retry follows.
   */
  readonly endChanges: (retried: boolean) => ChangeSet;
}

/**
 * Ends a single-task run and starts its retry, together: the retry takes the place of the run, so that no
 * other run slips in between (spec 2.2). It is a new run of its own (DESIGN section 8).
 * @returns `refused` when another engine has taken the run over; then nothing was written
 */
export async function retryRun(
  ports: LaunchPorts,
  { runId, jobId, retry, endChanges }: RetryRunRequest,
): Promise<'written' | 'refused'> {
  try {
    const stored = await ports.runs.launchTransaction(async (transaction) => {
      await transaction.lockJob(jobId);
      const found = await transaction.lockRun(runId);
      const retried = found !== undefined && found.run.stopReason === undefined;
      if ((await transaction.write(endChanges(retried))) === 'refused') throw new WriteRefused();
      if (!retried) return undefined;
      const [id = 0] = await transaction.reserveRunIds(1);
      const numberInJob = await transaction.reserveNumberInJob(jobId);
      const run = createRunRetry(found, retry, {
        runId: id,
        numberInJob,
        owner: ports.nodeId,
        now: ports.clock.now(),
      });
      await transaction.insertRun(run);
      return run;
    }, 'retry');
    if (stored !== undefined) ports.acceptRun(toRunWithTasks(stored));
    return 'written';
  } catch (error) {
    if (error instanceof WriteRefused) return 'refused';
    throw error;
  }
}

/** Leaving by an exception undoes the transaction. */
class WriteRefused extends Error {}
