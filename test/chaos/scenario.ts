/**
 * Chaos scenario: two engines on one PostgreSQL, client load, random faults, recovery and the invariant
 * check.
 */
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkInvariants, type InvariantReport, type Violation } from './check-invariants.ts';
import { countActiveRuns, collectEvidence, type EvidenceSources } from './collect-evidence.ts';
import { incrementCount, createLedger, type Ledger } from './client-ledger.ts';
import {
  createClientActions,
  sendRequest,
  createJobs,
  sendUntilAnswered,
  type ApiEndpoints,
} from './client-load.ts';
import { drawJobs } from './job-mix.ts';
import { startEnvironment } from './chaos-environment.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createFaultSchedule, injectFault, type BusyEngines, type FaultTargets } from './fault-schedule.ts';

export interface ChaosPlan {
  readonly seed: number;
  /** Duration of the load and the faults. */
  readonly durationMs: number;
  /** Number of runs that clients start. */
  readonly runs: number;
  readonly jobs: number;
  /** Mean time between two faults, in milliseconds. */
  readonly faultEveryMs: number;
  /** Receives progress messages. */
  readonly log: (line: string) => void;
}

export interface ChaosReport {
  readonly invariantReport: InvariantReport;
  /** Number of actions, faults and outcomes by name. */
  readonly counts: ReadonlyMap<string, number>;
  /** Log lines of the engines about the runs of the violations. */
  readonly engineLogLines: readonly string[];
}

/** Idempotency token of the runs that are launched after the faults. */
const finalToken = 'final';
/** A scenario without progress for this time is stuck, which is a violation. */
const stallTimeoutMs = 90_000;
const pollIntervalMs = 500;

/**
 * Runs a scenario and removes its files and processes.
 * @param keep true to keep the files
 * @param signal aborts the scenario; the promise rejects
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
      signal?.addEventListener('abort', () => reject(new Error('The scenario was aborted.')));
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
  const { targets, endpoints, sources } = await startEnvironment(directory, ledger, closers);
  const random = createSeededRandom(plan.seed);
  const jobs = await createJobs(drawJobs(random.fork('jobs'), plan.jobs), endpoints, ledger);
  await runLoadAndFaults(plan, targets, { random, jobs, endpoints });
  plan.log('The faults are over; waiting for all runs to end.');
  const stuck = await waitUntilIdle(sources);
  if (stuck === undefined) await launchEachJobOnce(jobs, endpoints, ledger, sources);
  const evidence = await collectEvidence(sources, ledger);
  const { checkCounts, violations } = checkInvariants(evidence);
  const allViolations = [...violations, ...(stuck === undefined ? [] : [stuck])];
  incrementCount(ledger, 'runs', evidence.runs.length);
  incrementCount(ledger, 'attempts', evidence.attempts.length);
  incrementCount(
    ledger,
    'processes',
    [...evidence.programRecords.values()].reduce((sum, record) => sum + record.starts.length, 0),
  );
  incrementCount(ledger, 'notifications', evidence.outboxEvents.length);
  for (const { state, result } of evidence.runs)
    incrementCount(ledger, `runs ended as ${state}${result === null ? '' : `/${result}`}`);
  return {
    invariantReport: { checkCounts, violations: allViolations },
    counts: ledger.counts,
    engineLogLines: await collectEngineLogLines(directory, allViolations),
  };
}

/** Runs client actions and faults at their drawn times. Resolves when all of them are over. */
async function runLoadAndFaults(
  plan: ChaosPlan,
  targets: FaultTargets,
  {
    random,
    jobs,
    endpoints,
  }: { random: ReturnType<typeof createSeededRandom>; jobs: readonly number[]; endpoints: ApiEndpoints },
): Promise<void> {
  const busy: BusyEngines = new Set();
  const actions = createClientActions(
    random.fork('load'),
    { durationMs: plan.durationMs, runs: plan.runs, jobs },
    endpoints,
    targets.ledger,
  );
  const faults = createFaultSchedule(random.fork('faults'), plan.durationMs, plan.faultEveryMs);
  const runAt = async (milliseconds: number, action: () => Promise<void>): Promise<void> => {
    await sleep(milliseconds);
    await action();
  };
  await Promise.all([
    ...actions.map((action) => runAt(action.at, action.perform)),
    ...faults.map((fault) =>
      runAt(fault.at, async () => {
        plan.log(
          `${(fault.at / 1_000).toFixed(1)} s: ${fault.kind}, engine ${fault.engine}, intensity ${fault.intensity}`,
        );
        await injectFault(targets, fault, busy);
      }),
    ),
  ]);
}

/** Waits until every run is over. @returns a violation when no progress is made before that */
async function waitUntilIdle({ connection }: EvidenceSources): Promise<Violation | undefined> {
  let before = '';
  for (let stalledMs = 0; stalledMs < stallTimeoutMs; stalledMs += pollIntervalMs) {
    const now = await countActiveRuns(connection).catch(() => undefined);
    if (now?.active === 0 && before === JSON.stringify(now)) return undefined;
    if (now !== undefined && before !== JSON.stringify(now)) stalledMs = 0;
    before = JSON.stringify(now);
    await sleep(pollIntervalMs);
  }
  return {
    invariant: 'all runs end',
    runId: undefined,
    message: `No progress for ${stallTimeoutMs / 1_000} s; counts: ${before}.`,
  };
}

/**
 * Launches one more run of each job: a skipped run shows that capacity leaked. Jobs with run_job_tasks come
 * last, after the runs of their child jobs have ended.
 */
async function launchEachJobOnce(
  jobs: readonly number[],
  endpoints: ApiEndpoints,
  ledger: Ledger,
  sources: EvidenceSources,
): Promise<void> {
  for (const group of [jobs.slice(0, (jobs.length * 2) / 3), jobs.slice((jobs.length * 2) / 3)]) {
    for (const [index, jobId] of group.entries()) await launchFinalRun(jobId, index % 2, endpoints, ledger);
    const stuck = await waitUntilIdle(sources);
    if (stuck !== undefined)
      ledger.unexpectedResponses.push(`The final runs of the jobs ${group.join(', ')}: ${stuck.message}`);
  }
  for (const [engine, url] of endpoints.urls.entries()) {
    const { status } = await fetch(`${url()}/readyz`);
    if (status !== 200)
      ledger.unexpectedResponses.push(`Engine ${engine} is not ready after the faults: ${status}.`);
    const { body } = await sendUntilAnswered(endpoints, ledger, engine, 'GET', '2.0/nodes', {});
    const nodes: unknown[] = Array.isArray(body['nodes']) ? body['nodes'] : [];
    const alive = nodes.filter((node) => Object(node)['state'] === 'ALIVE');
    if (alive.length !== endpoints.urls.length)
      ledger.unexpectedResponses.push(`Engine ${engine} sees ${alive.length} nodes alive after the faults.`);
  }
}

async function launchFinalRun(
  jobId: number,
  engine: number,
  endpoints: ApiEndpoints,
  ledger: Ledger,
): Promise<void> {
  const { status, body } = await sendUntilAnswered(endpoints, ledger, engine, 'POST', '2.1/jobs/run-now', {
    job_id: jobId,
    idempotency_token: finalToken,
  });
  const runId = Number(body['run_id']);
  if (status !== 200)
    return void ledger.unexpectedResponses.push(
      `The final run of job ${jobId} was refused: ${JSON.stringify(body)}`,
    );
  ledger.acknowledgedRuns.push({ scope: jobId, token: finalToken, runId });
  const run = await sendRequest(endpoints, engine, 'GET', '2.1/jobs/runs/get', { run_id: runId });
  if (Object(run?.body['state'])['life_cycle_state'] === 'SKIPPED')
    ledger.unexpectedResponses.push(`The final run of job ${jobId} was skipped: capacity leaked.`);
}

/** Returns engine log lines that name the runs of the first violations. */
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
