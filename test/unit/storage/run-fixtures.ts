/** Stored runs and jobs for tests; `launchRun` and `submitRun` create the runs. */
import { pino } from 'pino';
import type { Kysely } from 'kysely';
import { systemClock, type Clock } from '../../../engine/clock.ts';
import { launchRun, submitRun, type LaunchPorts } from '../../../engine/launch.ts';
import type { JobSettings, SubmitSettings } from '../../../engine/job/settings.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import type { Run, RunWithTasks } from '../../../engine/run/run.ts';
import { createJob } from '../../../storage/postgres/jobs/jobs.ts';
import { listRuns } from '../../../storage/postgres/runs/runs.ts';
import type { Database } from '../../../storage/postgres/schema.ts';
import { createRunStore } from '../../../storage/postgres/stores.ts';

const body = { notebook_task: { notebook_path: '/n' } };

/** Returns settings of a task graph: in `graphSettings('a', 'b a')` the task b depends on a. */
export function graphSettings(...tasks: string[]): JobSettings & SubmitSettings {
  return {
    tasks: tasks.map((text) => {
      const [task_key = '', ...dependencies] = text.split(' ');
      return { task_key, ...body, depends_on: dependencies.map((key) => ({ task_key: key })) };
    }),
  };
}

export const singleTaskSettings = { ...body, existing_cluster_id: 'shared' } satisfies JobSettings &
  SubmitSettings;

export function createTestRunStore(db: Kysely<Database>): RunStore {
  return createRunStore(db, systemClock, pino({ level: 'silent' }));
}

/** Creates the ports of a launch, which add every accepted run to `accepted`. */
export function createLaunchPorts(
  runs: RunStore,
  accepted: RunWithTasks[] = [],
  nodeId = 'node-1',
  clock: Clock = systemClock,
): LaunchPorts {
  return {
    runs,
    clock,
    limits: defaultLimits,
    nodeId,
    acceptRun: (run) => {
      accepted.push(run);
    },
  };
}

/** Stores a one-time run and returns it as the coordinator gets it. */
export async function createSubmittedRun(
  runs: RunStore,
  settings: SubmitSettings,
  nodeId = 'node-1',
  clock: Clock = systemClock,
): Promise<RunWithTasks> {
  const accepted: RunWithTasks[] = [];
  await submitRun(createLaunchPorts(runs, accepted, nodeId, clock), {
    settings,
    version: '2.0',
    creator: 'ann',
  });
  const [run] = accepted;
  if (run === undefined) throw new Error('The submission was not accepted.');
  return run;
}

/**
 * Stores many one-time runs, 8 at a time: launches wait for each other, and the wait for a connection of the
 * pool is limited.
 */
export async function createSubmittedRuns(
  runs: RunStore,
  settings: SubmitSettings,
  count: number,
  nodeId = 'node-1',
): Promise<RunWithTasks[]> {
  const stored: RunWithTasks[] = [];
  while (stored.length < count) {
    const batch = Array.from({ length: Math.min(8, count - stored.length) }, () =>
      createSubmittedRun(runs, settings, nodeId),
    );
    stored.push(...(await Promise.all(batch)));
  }
  return stored;
}

/** Stores a job and returns its id. */
export function createStoredJob(
  db: Kysely<Database>,
  settings: JobSettings = singleTaskSettings,
  now = 1_000,
): Promise<number> {
  return createJob(db, { settings, version: '2.1', creator: 'ann', now }, defaultLimits);
}

/** Starts a run of a stored job and returns the response of the launch. */
export function launchRunOfJob(ports: LaunchPorts, jobId: number, idempotencyToken?: string) {
  return launchRun(ports, { jobId, parameters: {}, idempotencyToken, creator: 'ann' });
}

/** Lists the runs of a job, oldest first. */
export async function listRunsOfJob(db: Kysely<Database>, jobId: number): Promise<Run[]> {
  const filter = {
    jobId,
    active: undefined,
    type: undefined,
    startFrom: undefined,
    startTo: undefined,
    before: undefined,
    offset: 0,
    limit: 999,
  };
  return (await listRuns(db, filter)).toReversed();
}
