/** One scene: two engines on one PostgreSQL, a load, a storm of faults, quiet, and the verdict. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInvariants, type InvariantReport, type Violation } from './check-invariants.ts';
import { createChaosEngine, type ChaosEngine } from './chaos-engine.ts';
import { countActiveRuns, collectEvidence, type EvidenceSources } from './collect-evidence.ts';
import { incrementCount, createLedger, type Ledger } from './client-ledger.ts';
import {
  createClientActions,
  sendRequest,
  createJobs,
  sendUntilAnswered,
  type ApiEndpoints,
} from './client-load.ts';
import { drawJobs, programPath } from './job-mix.ts';
import { startChaosPostgres } from './chaos-postgres.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { createSeededRandom } from './seeded-random.ts';
import {
  createFaultSchedule,
  findTaskProcesses,
  injectFault,
  type BusyEngines,
  type FaultTargets,
} from './fault-schedule.ts';

export interface ChaosPlan {
  readonly seed: number;
  /** How long clients and faults go on. */
  readonly durationMs: number;
  /** Runs that clients start. */
  readonly runs: number;
  readonly jobs: number;
  /** Mean time between two faults. */
  readonly faultEveryMs: number;
  /** Told what goes on. */
  readonly log: (line: string) => void;
}

export interface ChaosReport {
  readonly invariantReport: InvariantReport;
  /** How often each thing was done or happened. */
  readonly counts: ReadonlyMap<string, number>;
  /** What the engines logged about the runs of the violations. */
  readonly engineLogLines: readonly string[];
}

const leaseMs = 2_000;
const token = 'token-of-the-chaos-suite';
/** Without any progress for this long the scene is taken as stuck, which is a violation by itself. */
const stallTimeoutMs = 90_000;
const pollIntervalMs = 500;

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/**
 * Plays a scene to its end and removes all that it made, but for `keep`: then everything stays but the
 * processes.
 * @param signal ends it before its time, and makes it reject
 */
export async function runChaosScenario(
  plan: ChaosPlan,
  keep = false,
  signal?: AbortSignal,
): Promise<ChaosReport> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-chaos-'));
  await chmod(directory, 0o711);
  const closers: (() => Promise<unknown>)[] = [
    async () => keep || rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  ];
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('The scene was broken off.')));
    });
    return await Promise.race([executeScenario(plan, directory, closers), aborted]);
  } finally {
    for (const close of closers.toReversed()) await close();
    if (keep) plan.log(`Everything is kept in ${directory}.`);
  }
}

async function executeScenario(
  plan: ChaosPlan,
  directory: string,
  closers: (() => Promise<unknown>)[],
): Promise<ChaosReport> {
  const ledger = createLedger();
  const { field, door, places } = await startEnvironment(directory, ledger, closers);
  const random = createSeededRandom(plan.seed);
  const jobs = await createJobs(drawJobs(random.fork('jobs'), plan.jobs), door, ledger);
  await runLoadAndFaults(plan, field, { random, jobs, door });
  plan.log('The storm is over; waiting for quiet.');
  const stuck = await waitUntilIdle(places);
  if (stuck === undefined) await launchEachJobOnce(jobs, door, ledger, places);
  // Processes of an attempt that has just ended are gone when its end is stored; a look may still meet one
  // that is being reaped.
  const evidence = await collectEvidence(places, ledger);
  const { checkCounts, violations } = checkInvariants(evidence);
  const all = [...violations, ...(stuck === undefined ? [] : [stuck])];
  incrementCount(ledger, 'runs', evidence.runs.length);
  incrementCount(ledger, 'attempts', evidence.attempts.length);
  incrementCount(
    ledger,
    'processes',
    [...evidence.programRecords.values()].reduce((sum, mark) => sum + mark.starts.length, 0),
  );
  incrementCount(ledger, 'notices', evidence.outboxEvents.length);
  for (const { state, result } of evidence.runs)
    incrementCount(ledger, `runs ended as ${state}${result === null ? '' : `/${result}`}`);
  return {
    invariantReport: { checkCounts, violations: all },
    counts: ledger.counts,
    engineLogLines: await collectEngineLogLines(directory, all),
  };
}

/** PostgreSQL, a proxy for each engine, the engines, and the program of all tasks. */
async function startEnvironment(
  directory: string,
  ledger: Ledger,
  closers: (() => Promise<unknown>)[],
): Promise<{ field: FaultTargets; door: ApiEndpoints; places: EvidenceSources }> {
  const dataDirectory = join(directory, 'data');
  const [runsDirectory, marksDirectory] = [
    join(dataDirectory, 'runs'),
    join(dataDirectory, 'managed_fs', 'marks'),
  ];
  await mkdir(marksDirectory, { recursive: true });
  const postgres = await startChaosPostgres(join(directory, 'postgres'));
  closers.push(() => postgres.stop());
  const proxies = [await startFaultyProxy(postgres.socketPath), await startFaultyProxy(postgres.socketPath)];
  closers.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  const { user, password, database } = postgres.connection;
  const engines = proxies.map(({ port }, index): ChaosEngine =>
    createChaosEngine({
      name: String(index),
      drain: index === 1,
      dataDirectory,
      logFile: join(directory, `engine-${index}.log`),
      onFailedStart: () => incrementCount(ledger, 'starts of an engine that failed, with the database away'),
      environment: {
        RUNYARD_BOOTSTRAP_TOKEN: token,
        RUNYARD_LEASE_MS: String(leaseMs),
        RUNYARD_STOP_GRACE_MS: '1000',
        DATABASE_URL: `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
      },
    }),
  );
  closers.push(() => killEnginesAndTasks(engines, runsDirectory));
  await Promise.all(engines.map((engine) => engine.start()));
  const door: ApiEndpoints = { urls: engines.map((engine) => engine.url), token };
  const program = await readFile(new URL('./chaos-task.py', import.meta.url));
  await sendUntilAnswered(door, ledger, 0, 'POST', '2.0/managed_fs/put', {
    path: programPath,
    contents: program.toString('base64'),
    overwrite: true,
  });
  return {
    field: { engines, proxies, postgres, runsDirectory, leaseMs, ledger },
    door,
    places: { connection: postgres.connection, runsDirectory, programRecordsDirectory: marksDirectory },
  };
}

/**
 * Clients and faults at the moments that were drawn. Resolves when all clients have their answers and all
 * faults are over.
 */
async function runLoadAndFaults(
  plan: ChaosPlan,
  field: FaultTargets,
  {
    random,
    jobs,
    door,
  }: { random: ReturnType<typeof createSeededRandom>; jobs: readonly number[]; door: ApiEndpoints },
): Promise<void> {
  const busy: BusyEngines = new Set();
  const actions = createClientActions(
    random.fork('load'),
    { durationMs: plan.durationMs, runs: plan.runs, jobs },
    door,
    field.ledger,
  );
  const faults = createFaultSchedule(random.fork('storm'), plan.durationMs, plan.faultEveryMs);
  const at = async (moment: number, work: () => Promise<void>): Promise<void> => {
    await sleep(moment);
    await work();
  };
  await Promise.all([
    ...actions.map((action) => at(action.at, action.perform)),
    ...faults.map((fault) =>
      at(fault.at, async () => {
        plan.log(
          `${(fault.at / 1_000).toFixed(1)} s: ${fault.kind}, engine ${fault.engine}, size ${fault.intensity}`,
        );
        await injectFault(field, fault, busy);
      }),
    ),
  ]);
}

/**
 * Waits until every run is over, for as long as something still happens. @returns a violation when nothing
 * does any more
 */
async function waitUntilIdle({ connection }: EvidenceSources): Promise<Violation | undefined> {
  let before = '';
  for (let still = 0; still < stallTimeoutMs; still += pollIntervalMs) {
    const now = await countActiveRuns(connection).catch(() => undefined);
    if (now?.active === 0 && before === JSON.stringify(now)) return undefined;
    if (now !== undefined && before !== JSON.stringify(now)) still = 0;
    before = JSON.stringify(now);
    await sleep(pollIntervalMs);
  }
  return {
    invariant: 'everything comes to its end',
    runId: undefined,
    message: `Nothing has happened for ${stallTimeoutMs / 1_000} s, with ${before}.`,
  };
}

/**
 * After all faults each job takes a new run: no place has leaked, and none is skipped. Jobs that start others
 * come after those.
 */
async function launchEachJobOnce(
  jobs: readonly number[],
  door: ApiEndpoints,
  ledger: Ledger,
  places: EvidenceSources,
): Promise<void> {
  for (const some of [jobs.slice(0, (jobs.length * 2) / 3), jobs.slice((jobs.length * 2) / 3)]) {
    for (const [index, jobId] of some.entries()) await launchFinalRun(jobId, index % 2, door, ledger);
    const stuck = await waitUntilIdle(places);
    if (stuck !== undefined)
      ledger.unexpectedResponses.push(`The last runs of the jobs ${some.join(', ')}: ${stuck.message}`);
  }
  for (const [engine, url] of door.urls.entries()) {
    const { status } = await fetch(`${url()}/readyz`);
    if (status !== 200)
      ledger.unexpectedResponses.push(`Engine ${engine} is not ready after the storm: ${status}.`);
    const { body } = await sendUntilAnswered(door, ledger, engine, 'GET', '2.0/nodes', {});
    const nodes: unknown[] = Array.isArray(body['nodes']) ? body['nodes'] : [];
    const alive = nodes.filter((node) => Object(node)['state'] === 'ALIVE');
    if (alive.length !== door.urls.length)
      ledger.unexpectedResponses.push(`Engine ${engine} sees ${alive.length} nodes alive after the storm.`);
  }
}

async function launchFinalRun(
  jobId: number,
  engine: number,
  door: ApiEndpoints,
  ledger: Ledger,
): Promise<void> {
  const { status, body } = await sendUntilAnswered(door, ledger, engine, 'POST', '2.1/jobs/run-now', {
    job_id: jobId,
    idempotency_token: 'the-last',
  });
  const runId = Number(body['run_id']);
  if (status !== 200)
    return void ledger.unexpectedResponses.push(
      `The last run of job ${jobId} was refused: ${JSON.stringify(body)}`,
    );
  ledger.acknowledgedRuns.push({ scope: jobId, token: 'the-last', runId });
  const run = await sendRequest(door, engine, 'GET', '2.1/jobs/runs/get', { run_id: runId });
  if (Object(run?.body['state'])['life_cycle_state'] === 'SKIPPED')
    ledger.unexpectedResponses.push(`The last run of job ${jobId} was skipped: a place has leaked.`);
}

async function killEnginesAndTasks(engines: readonly ChaosEngine[], runsDirectory: string): Promise<void> {
  await Promise.all(engines.map((engine) => engine.dispose()));
  for (const { pid } of await findTaskProcesses(runsDirectory)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

/** The lines of the engines' logs that name the runs of the first violations. */
async function collectEngineLogLines(directory: string, violations: readonly Violation[]): Promise<string[]> {
  const ids = [
    ...new Set(violations.slice(0, 5).flatMap(({ runId }) => (runId === undefined ? [] : [runId]))),
  ];
  const logs = (await readdir(directory)).filter((name) => name.endsWith('.log'));
  const lines = await Promise.all(
    logs.map(async (name) =>
      (await readFile(join(directory, name), 'utf8')).split('\n').map((line) => `${name}: ${line}`),
    ),
  );
  return lines
    .flat()
    .filter((line) => ids.some((id) => new RegExp(`\\b${id}\\b`).test(line)))
    .slice(0, 60);
}
