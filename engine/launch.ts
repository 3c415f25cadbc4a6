/** Entry points of runs: run-now, one-time submissions and schedules; each launch is one transaction. */
import { jobNotFound } from './errors.ts';
import type { Clock } from './clock.ts';
import { checkIdempotencyToken } from './job/check-settings.ts';
import { defaultName, toJobSettings, type ApiVersion } from './job/job-format.ts';
import type { Grant } from './job/permissions.ts';
import { checkJobCreations } from './job/quotas.ts';
import type { JobSettings, SubmitSettings } from './job/settings.ts';
import { fixedLimits, type Limits } from './limits.ts';
import type { Job } from './ports/jobs.ts';
import type {
  LaunchHook,
  LaunchedRun,
  LaunchTransaction,
  OutageOptions,
  PendingLauncher,
  RunStore,
} from './ports/runs.ts';
import { decideAdmission, maxConcurrentRunsOf, type Admission } from './run/admission.ts';
import { toRunWithTasks, type NewRun } from './run/new-run.ts';
import { checkRunNowParameters } from './run/parameters.ts';
import type { CauseCode } from './run/explain/explanation.ts';
import type { RunWithTasks } from './run/run.ts';
import { launchPendingRun } from './launch-pending.ts';
import type { ChildRunOrigin, LaunchRunRequest } from './launch-request.ts';
import { storeRun, type StorePorts, type StoreResult } from './store-run.ts';

export interface LaunchPorts extends StorePorts {
  readonly runs: Pick<RunStore, 'launchTransaction' | 'find' | 'findLatestAttempt'>;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The node that owns the runs that are launched here. */
  readonly nodeId: string;
  /** Starts runs in one round trip where no rule has to decide. Undefined: each launch is a transaction. */
  readonly pendingLauncher?: PendingLauncher | undefined;
  /** Waits while the engine has more short runs than it can end; undefined: never. */
  readonly waitForTurn?: (() => Promise<void>) | undefined;
  /** Returns the data directory while its disk is full: no task begins then. */
  readonly findFullDisk?: (() => string | undefined) | undefined;
  /** Drives a run that is stored. */
  readonly acceptRun: (run: RunWithTasks) => void;
  /** Called for a stored run that was skipped at its launch. */
  readonly onSkipped?: ((runId: number, cause: CauseCode | undefined) => void) | undefined;
}

/**
 * Starts a run of a stored job (spec 4.1 rule 4).
 * @param options `onOutage: 'retry'` needs `launchedBy` or a token, so that no second run starts
 * @throws ServiceError for an unknown job, invalid parameters, the token of a deleted run, or a workspace
 *   without capacity
 */
export async function launchRun(
  ports: LaunchPorts,
  request: LaunchRunRequest,
  options?: OutageOptions,
): Promise<LaunchedRun> {
  const { jobId, parameters, idempotencyToken, creator, launchedBy, child } = request;
  checkIdempotencyToken(idempotencyToken, ports.limits);
  const pending = await launchPendingRun(ports, request);
  if (pending !== undefined) return pending;
  const result = await ports.runs.launchTransaction<StoreResult>(async (transaction) => {
    const job = await transaction.lockJob(jobId);
    const earlier = launchedBy === undefined ? undefined : await transaction.findLaunchedRun(launchedBy);
    if (earlier !== undefined) return { kind: 'launched before', run: earlier };
    // Read under the lock: the runs of a job start in the order of their numbers.
    const now = ports.clock.now();
    if (job === undefined) throw jobNotFound(jobId);
    const { settings, settingsRevision, version } = job;
    checkRunNowParameters(parameters, settings, ports.limits);
    const mayQueue = request.queue ?? isQueueEnabled(settings, version);
    return storeRun(ports, transaction, {
      idempotencyScope: child?.idempotencyScope ?? jobId,
      idempotencyToken: child?.key ?? idempotencyToken,
      resolveJobId: async () => jobId,
      settings,
      settingsRevision,
      parameters,
      creator,
      now,
      admission: await decideJobAdmission(transaction, job, mayQueue),
      launchedBy,
      parentTaskRun: child?.parentTaskRun,
      // A run_job_task waits for its child run, so the child may wait for capacity.
      mayQueue: mayQueue || launchedBy !== undefined,
      type: 'JOB_RUN',
      name: settings.name ?? defaultName,
      version,
    });
  }, options);
  return acceptStored(ports, result);
}

export interface SubmitRunRequest {
  /** Checked by `checkSubmission`. */
  readonly settings: SubmitSettings;
  readonly version: ApiVersion;
  readonly creator: string;
  /** Permissions of others on the run. */
  readonly grants?: readonly Grant[];
  /** Set for a notebook that another one runs. */
  readonly child?: ChildRunOrigin;
  readonly launchHook?: LaunchHook;
}

/**
 * Starts a one-time run, which has a hidden job of its own (spec 4.1 rule 5).
 * @throws ServiceError for the idempotency token of a deleted run, too many creations, or a workspace without
 *   capacity
 */
export async function submitRun(
  ports: LaunchPorts,
  submission: SubmitRunRequest,
  options?: OutageOptions,
): Promise<LaunchedRun> {
  const { version, creator, child, launchHook } = submission;
  const settings = toJobSettings(submission.settings, version);
  const result = await ports.runs.launchTransaction(async (transaction) => {
    const now = ports.clock.now();
    await launchHook?.beforeAdmission(transaction);
    return storeRun(ports, transaction, {
      idempotencyScope: child?.idempotencyScope ?? submissionScope,
      idempotencyToken: child?.key ?? submission.settings.idempotency_token,
      parentTaskRun: child?.parentTaskRun,
      launchHook,
      async resolveJobId() {
        checkJobCreations(
          await transaction.countJobsCreated(now - fixedLimits.jobCreationWindowMs),
          ports.limits,
        );
        return transaction.createHiddenJob(settings, version, creator, now, submission.grants);
      },
      settings,
      parameters: {},
      creator,
      now,
      admission: { kind: 'start' },
      mayQueue: isQueueEnabled(settings, version),
      type: child === undefined ? 'SUBMIT_RUN' : 'WORKFLOW_RUN',
      name: settings.name ?? defaultName,
      version,
    });
  }, options);
  return acceptStored(ports, result);
}

/** A fire of a schedule. */
export interface ScheduledLaunchRequest {
  /** Locked by the caller's transaction. */
  readonly job: Job;
  /** When the fire was due, epoch ms. */
  readonly scheduledTime: number;
}

/**
 * Stores a run that a schedule starts, inside the caller's transaction. The caller passes it to `acceptRun`
 * after the commit. A run without capacity is skipped, because no client would repeat the request.
 */
export async function launchScheduledRun(
  ports: Omit<LaunchPorts, 'acceptRun' | 'runs'>,
  transaction: LaunchTransaction,
  { job, scheduledTime }: ScheduledLaunchRequest,
): Promise<NewRun> {
  const { jobId, settings, settingsRevision, version } = job;
  const mayQueue = isQueueEnabled(settings, version);
  const result = await storeRun(ports, transaction, {
    idempotencyScope: jobId,
    idempotencyToken: undefined,
    resolveJobId: async () => jobId,
    settings,
    settingsRevision,
    parameters: {},
    creator: job.creatorUserName ?? '',
    admission: await decideJobAdmission(transaction, job, mayQueue),
    now: ports.clock.now(),
    type: 'JOB_RUN',
    name: settings.name ?? defaultName,
    version,
    scheduledTime,
    mayQueue,
  });
  if (result.kind !== 'stored') throw new Error('A run without an idempotency token has no earlier run.');
  return result.run;
}

/** Scope of the idempotency tokens of submissions; job ids are positive. */
const submissionScope = 0;

/** Drives a stored run that is PENDING; returns the ids of the run. */
function acceptStored(ports: Pick<LaunchPorts, 'acceptRun' | 'onSkipped'>, result: StoreResult): LaunchedRun {
  if (result.kind === 'stored') acceptNewRun(ports, result.run);
  const { runId, numberInJob } = result.run;
  return { runId, numberInJob };
}

/** Drives a stored run unless it waits in the queue or was skipped. Call after the commit. */
export function acceptNewRun(
  { acceptRun, onSkipped }: Pick<LaunchPorts, 'acceptRun' | 'onSkipped'>,
  run: NewRun,
): void {
  if (run.state === 'PENDING') acceptRun(toRunWithTasks(run));
  if (run.state === 'SKIPPED') onSkipped?.(run.runId, run.explanation?.cause_code);
}

/** Decides about a new or repaired run of a locked job by its max_concurrent_runs. */
export async function decideJobAdmission(
  transaction: LaunchTransaction,
  { jobId, settings }: Job,
  mayQueue: boolean,
): Promise<Admission> {
  const { active, queued } = await transaction.countRuns(jobId);
  const maxConcurrentRuns = maxConcurrentRunsOf(settings);
  return decideAdmission({ activeRuns: active, queuedRuns: queued, maxConcurrentRuns, mayQueue });
}

/**
 * Returns whether runs may queue: by the settings, else by the version that created the job (WIRE: on in
 * 2.2).
 */
export function isQueueEnabled({ queue }: Pick<JobSettings, 'queue'>, version: ApiVersion): boolean {
  return queue?.enabled ?? version === '2.2';
}
