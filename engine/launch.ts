/** The one door through which every run starts: run-now and one-time submissions; one transaction each. */
import { noticesOfEnd } from './notification/routing.ts';
import type { Clock } from './clock.ts';
import { invalid } from './errors.ts';
import { checkIdempotencyToken } from './job/check.ts';
import { formatOf, settingsOfSubmission, tasksOf, untitled, type ApiVersion } from './job/format.ts';
import { checkJobCreations, creationWindowMs } from './job/quotas.ts';
import type { Grant } from './job/permissions.ts';
import type { JobSettings, SubmitSettings } from './job/settings.ts';
import type { Limits } from './limits.ts';
import type { EarlierRun, Job, LaunchTransaction, NewRun, RunStore } from './ports.ts';
import { checkCapacity, decideAdmission, reasonToSkip } from './run/admission.ts';
import { waitingMessage } from './run/waiting.ts';
import { createdRun } from './run/created.ts';
import { checkRunNow, type RunParameters } from './run/parameters.ts';
import type { RunType, RunWithTasks } from './run/run.ts';

export interface LaunchPorts {
  readonly runs: Pick<RunStore, 'launch' | 'find'>;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The node that owns what is launched here. */
  readonly nodeId: string;
  /** Takes over a run that is stored. */
  readonly accept: (run: RunWithTasks) => void;
}

export interface RunNow {
  readonly jobId: number;
  readonly parameters: RunParameters;
  readonly idempotencyToken: string | undefined;
  readonly creator: string;
}

export interface Launched {
  readonly runId: number;
  readonly numberInJob: number;
}

/**
 * Starts a run of a stored job (spec 4.1 rule 4).
 * @throws ServiceError for an unknown job, parameters that break a rule, the token of a deleted run, or a workspace that is full
 */
export async function runNow(ports: LaunchPorts, request: RunNow): Promise<Launched> {
  const { jobId, parameters, idempotencyToken, creator } = request;
  checkIdempotencyToken(idempotencyToken, ports.limits);
  return launch(ports, async (transaction) => {
    const job = await transaction.lockJob(jobId);
    // Read under the lock: the runs of a job start in the order of their numbers.
    const now = ports.clock.now();
    if (job === undefined) throw invalid(`Job ${jobId} does not exist.`);
    checkRunNow(parameters, job.settings, ports.limits);
    const settings = job.settings;
    const admission = decideAdmission({
      activeRuns: await transaction.countActiveRuns(jobId),
      maxConcurrentRuns: settings.max_concurrent_runs ?? 1,
    });
    return {
      scope: jobId, token: idempotencyToken, takeJob: async () => jobId, settings, parameters, creator, now,
      type: 'JOB_RUN', name: settings.name ?? untitled, version: job.version,
      skipped: admission.kind === 'skip' ? admission.message : undefined,
    };
  });
}

export interface Submission {
  /** Checked by `checkSubmission`. */
  readonly settings: SubmitSettings;
  readonly version: ApiVersion;
  readonly creator: string;
  /** Who else may do what with the run. */
  readonly grants?: readonly Grant[];
}

/**
 * Starts a one-time run without a stored job (spec 4.1 rule 5). It carries a hidden job of its own.
 * @throws ServiceError for the idempotency token of a deleted run, too many creations, or a workspace that is full
 */
export async function submit(ports: LaunchPorts, submission: Submission): Promise<Launched> {
  const settings = settingsOfSubmission(submission.settings, submission.version);
  return launch(ports, async (transaction, now) => ({
    scope: submissionScope, token: submission.settings.idempotency_token,
    async takeJob() {
      checkJobCreations(await transaction.countJobsCreated(now - creationWindowMs), ports.limits);
      return transaction.createHiddenJob(settings, submission.version, submission.creator, now, submission.grants);
    },
    settings, parameters: {}, creator: submission.creator, now,
    type: 'SUBMIT_RUN', name: settings.name ?? untitled, version: submission.version, skipped: undefined,
  }));
}

/** A fire of a schedule. */
export interface Fire {
  /** Locked by the caller's transaction. */
  readonly job: Job;
  /** For which it was due, epoch ms. */
  readonly scheduledTime: number;
}

/**
 * Stores a run that a schedule starts, inside a transaction of the caller, who has it accepted once that is committed. Where
 * others are refused because the workspace is full, it is skipped: there is nobody who would ask again.
 */
export async function fireRun(ports: Omit<LaunchPorts, 'accept' | 'runs'>, transaction: LaunchTransaction, { job, scheduledTime }: Fire): Promise<NewRun> {
  const { jobId, settings, version } = job;
  const admission = decideAdmission({
    activeRuns: await transaction.countActiveRuns(jobId),
    maxConcurrentRuns: settings.max_concurrent_runs ?? 1,
  });
  return store(ports, transaction, {
    scope: jobId, token: undefined, takeJob: async () => jobId, settings, parameters: {}, creator: job.creatorUserName ?? '',
    now: ports.clock.now(), type: 'JOB_RUN', name: settings.name ?? untitled, version, scheduledTime,
    skipped: admission.kind === 'skip' ? admission.message : await noRoom(ports, transaction, tasksOf(settings).length),
  });
}

/** Why a run of so many tasks finds no room; undefined when it has taken it. */
async function noRoom({ limits }: Pick<LaunchPorts, 'limits'>, transaction: LaunchTransaction, tasks: number): Promise<string | undefined> {
  return reasonToSkip(await transaction.countActiveTaskRuns(tasks, limits.concurrentTaskRuns), tasks, limits);
}

/** Idempotency tokens of submissions share one scope, which is no job's. */
const submissionScope = 0;

/** Everything that a launch has decided before it takes numbers. */
interface Plan {
  readonly scope: number;
  readonly token: string | undefined;
  /** The job that carries the run; called once it is known that no earlier run has the token. */
  readonly takeJob: () => Promise<number>;
  readonly settings: JobSettings;
  readonly parameters: RunParameters;
  readonly creator: string;
  readonly now: number;
  readonly type: RunType;
  readonly name: string;
  readonly version: ApiVersion;
  /** Why the run ends at once as SKIPPED, if it does. */
  readonly skipped: string | undefined;
  /** Set for a fire of a schedule, whose room is taken already. */
  readonly scheduledTime?: number;
}

class AlreadyLaunched extends Error {
  readonly earlier: EarlierRun;
  constructor(earlier: EarlierRun) {
    super('This idempotency token was used before.');
    this.earlier = earlier;
  }
}

async function launch(
  ports: LaunchPorts,
  plan: (transaction: LaunchTransaction, now: number) => Promise<Plan>,
): Promise<Launched> {
  try {
    const run = await ports.runs.launch(async (transaction) => store(ports, transaction, await plan(transaction, ports.clock.now())));
    if (run.state === 'PENDING') ports.accept(createdRun(run));
    return { runId: run.runId, numberInJob: run.numberInJob };
  } catch (error) {
    // Leaving by an exception undoes what the transaction did before it knew.
    if (error instanceof AlreadyLaunched) return { runId: error.earlier.runId, numberInJob: error.earlier.numberInJob };
    throw error;
  }
}

async function store(ports: Omit<LaunchPorts, 'accept' | 'runs'>, transaction: LaunchTransaction, plan: Plan): Promise<NewRun> {
  const tasks = tasksOf(plan.settings);
  const format = formatOf(plan.settings);
  // A single-task run is its own task run: one id for both.
  const ids = await transaction.takeRunIds(format === 'SINGLE_TASK' ? 1 : tasks.length + 1);
  const [runId = 0] = ids;
  if (plan.token !== undefined && plan.token !== '') await claimToken(transaction, plan.scope, plan.token, runId);
  const over = plan.skipped !== undefined;
  const jobId = await plan.takeJob();
  const run: NewRun = {
    runId, jobId, numberInJob: await transaction.nextNumberInJob(jobId), format, version: plan.version,
    trigger: plan.scheduledTime === undefined ? 'ONE_TIME' : 'PERIODIC', scheduledTime: plan.scheduledTime,
    name: plan.name, type: plan.type, creator: plan.creator, settings: plan.settings,
    overridingParameters: Object.keys(plan.parameters).length === 0 ? undefined : plan.parameters,
    state: over ? 'SKIPPED' : 'PENDING', message: plan.skipped ?? '', startTime: plan.now, owner: ports.nodeId,
    tasks: tasks.map((task, index) => ({
      runId: ids[format === 'SINGLE_TASK' ? 0 : index + 1] ?? runId,
      taskKey: task.task_key,
      message: plan.skipped ?? waitingMessage((task.depends_on ?? []).map((dependency) => dependency.task_key)),
    })),
    notices: plan.skipped === undefined ? [] : noticesOfEnd(
      plan.settings,
      { state: 'SKIPPED', message: plan.skipped, startTime: plan.now, endTime: plan.now, runningTime: undefined, terminatingTime: undefined },
      { jobId, runId, now: plan.now },
    ),
  };
  if (!over && plan.scheduledTime === undefined) {
    const active = await transaction.countActiveTaskRuns(tasks.length, ports.limits.concurrentTaskRuns);
    checkCapacity(active, tasks.length, ports.limits);
  }
  await transaction.insertRun(run);
  return run;
}

async function claimToken(transaction: LaunchTransaction, scope: number, token: string, runId: number): Promise<void> {
  const claim = await transaction.claimIdempotencyToken(scope, token, runId);
  if (claim === 'claimed') return;
  if (claim.deleted) throw invalid(`The run started with idempotency_token "${token}" has been deleted.`);
  throw new AlreadyLaunched(claim);
}
