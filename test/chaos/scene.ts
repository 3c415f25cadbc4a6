/** One scene: two engines on one PostgreSQL, a load, a storm of faults, quiet, and the verdict. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, type Verdict, type Violation } from './checker.ts';
import { createEngine, type EngineUnderFire } from './engine-under-fire.ts';
import { countActive, gatherEvidence, type Places } from './gather.ts';
import { count, createLedger, type Ledger } from './ledger.ts';
import { actionsOf, ask, createJobs, insist, type Door } from './load.ts';
import { jobsOf, programPath } from './mix.ts';
import { startPostgres } from './postgres-under-fire.ts';
import { startProxy } from './proxy.ts';
import { createRandom } from './random.ts';
import { faultsOf, markedProcesses, strike, type Busy, type Field } from './storm.ts';

export interface ScenePlan {
  readonly seed: number;
  /** How long clients and faults go on. */
  readonly stormMs: number;
  /** Runs that clients start. */
  readonly runs: number;
  readonly jobs: number;
  /** Mean time between two faults. */
  readonly faultEveryMs: number;
  /** Told what goes on. */
  readonly say: (line: string) => void;
}

export interface SceneReport {
  readonly verdict: Verdict;
  /** How often each thing was done or happened. */
  readonly counts: ReadonlyMap<string, number>;
  /** What the engines logged about the runs of the violations. */
  readonly story: readonly string[];
}

const leaseMs = 2_000;
const token = 'token-of-the-chaos-suite';
/** Without any progress for this long the scene is taken as stuck, which is a violation by itself. */
const stuckMs = 90_000;
const lookMs = 500;

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/**
 * Plays a scene to its end and removes all that it made, but for `keep`: then everything stays but the
 * processes.
 * @param signal ends it before its time, and makes it reject
 */
export async function playScene(plan: ScenePlan, keep = false, signal?: AbortSignal): Promise<SceneReport> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-chaos-'));
  await chmod(directory, 0o711);
  const closers: (() => Promise<unknown>)[] = [
    async () => keep || rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  ];
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('The scene was broken off.')));
    });
    return await Promise.race([play(plan, directory, closers), aborted]);
  } finally {
    for (const close of closers.toReversed()) await close();
    if (keep) plan.say(`Everything is kept in ${directory}.`);
  }
}

async function play(
  plan: ScenePlan,
  directory: string,
  closers: (() => Promise<unknown>)[],
): Promise<SceneReport> {
  const ledger = createLedger();
  const { field, door, places } = await setUp(directory, ledger, closers);
  const random = createRandom(plan.seed);
  const jobs = await createJobs(jobsOf(random.fork('jobs'), plan.jobs), door, ledger);
  await rage(plan, field, { random, jobs, door });
  plan.say('The storm is over; waiting for quiet.');
  const stuck = await quiet(places);
  if (stuck === undefined) await startOneOfEach(jobs, door, ledger, places);
  // Processes of an attempt that has just ended are gone when its end is stored; a look may still meet one
  // that is being reaped.
  const evidence = await gatherEvidence(places, ledger);
  const { looks, violations } = check(evidence);
  const all = [...violations, ...(stuck === undefined ? [] : [stuck])];
  count(ledger, 'runs', evidence.runs.length);
  count(ledger, 'attempts', evidence.attempts.length);
  count(
    ledger,
    'processes',
    [...evidence.marks.values()].reduce((sum, mark) => sum + mark.starts.length, 0),
  );
  count(ledger, 'notices', evidence.notices.length);
  for (const { state, result } of evidence.runs)
    count(ledger, `runs ended as ${state}${result === null ? '' : `/${result}`}`);
  return { verdict: { looks, violations: all }, counts: ledger.counts, story: await storyOf(directory, all) };
}

/** PostgreSQL, a proxy for each engine, the engines, and the program of all tasks. */
async function setUp(
  directory: string,
  ledger: Ledger,
  closers: (() => Promise<unknown>)[],
): Promise<{ field: Field; door: Door; places: Places }> {
  const dataDirectory = join(directory, 'data');
  const [runsDirectory, marksDirectory] = [
    join(dataDirectory, 'runs'),
    join(dataDirectory, 'managed_fs', 'marks'),
  ];
  await mkdir(marksDirectory, { recursive: true });
  const postgres = await startPostgres(join(directory, 'postgres'));
  closers.push(() => postgres.stop());
  const proxies = [await startProxy(postgres.socketPath), await startProxy(postgres.socketPath)];
  closers.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  const { user, password, database } = postgres.connection;
  const engines = proxies.map(({ port }, index): EngineUnderFire =>
    createEngine({
      name: String(index),
      drain: index === 1,
      dataDirectory,
      logFile: join(directory, `engine-${index}.log`),
      onFailedStart: () => count(ledger, 'starts of an engine that failed, with the database away'),
      variables: {
        RUNYARD_BOOTSTRAP_TOKEN: token,
        RUNYARD_LEASE_MS: String(leaseMs),
        RUNYARD_STOP_GRACE_MS: '1000',
        DATABASE_URL: `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
      },
    }),
  );
  closers.push(() => endEverything(engines, runsDirectory));
  await Promise.all(engines.map((engine) => engine.start()));
  const door: Door = { urls: engines.map((engine) => engine.url), token };
  const program = await readFile(new URL('./chaos-task.py', import.meta.url));
  await insist(door, ledger, 0, 'POST', '2.0/managed_fs/put', {
    path: programPath,
    contents: program.toString('base64'),
    overwrite: true,
  });
  return {
    field: { engines, proxies, postgres, runsDirectory, leaseMs, ledger },
    door,
    places: { connection: postgres.connection, runsDirectory, marksDirectory },
  };
}

/**
 * Clients and faults at the moments that were drawn. Resolves when all clients have their answers and all
 * faults are over.
 */
async function rage(
  plan: ScenePlan,
  field: Field,
  { random, jobs, door }: { random: ReturnType<typeof createRandom>; jobs: readonly number[]; door: Door },
): Promise<void> {
  const busy: Busy = new Set();
  const actions = actionsOf(
    random.fork('load'),
    { durationMs: plan.stormMs, runs: plan.runs, jobs },
    door,
    field.ledger,
  );
  const faults = faultsOf(random.fork('storm'), plan.stormMs, plan.faultEveryMs);
  const at = async (moment: number, work: () => Promise<void>): Promise<void> => {
    await wait(moment);
    await work();
  };
  await Promise.all([
    ...actions.map((action) => at(action.at, action.perform)),
    ...faults.map((fault) =>
      at(fault.at, async () => {
        plan.say(
          `${(fault.at / 1_000).toFixed(1)} s: ${fault.kind}, engine ${fault.engine}, size ${fault.size}`,
        );
        await strike(field, fault, busy);
      }),
    ),
  ]);
}

/**
 * Waits until every run is over, for as long as something still happens. @returns a violation when nothing
 * does any more
 */
async function quiet({ connection }: Places): Promise<Violation | undefined> {
  let before = '';
  for (let still = 0; still < stuckMs; still += lookMs) {
    const now = await countActive(connection).catch(() => undefined);
    if (now?.active === 0 && before === JSON.stringify(now)) return undefined;
    if (now !== undefined && before !== JSON.stringify(now)) still = 0;
    before = JSON.stringify(now);
    await wait(lookMs);
  }
  return {
    invariant: 'everything comes to its end',
    runId: undefined,
    what: `Nothing has happened for ${stuckMs / 1_000} s, with ${before}.`,
  };
}

/**
 * After all faults each job takes a new run: no place has leaked, and none is skipped. Jobs that start others
 * come after those.
 */
async function startOneOfEach(
  jobs: readonly number[],
  door: Door,
  ledger: Ledger,
  places: Places,
): Promise<void> {
  for (const some of [jobs.slice(0, (jobs.length * 2) / 3), jobs.slice((jobs.length * 2) / 3)]) {
    for (const [index, jobId] of some.entries()) await startLast(jobId, index % 2, door, ledger);
    const stuck = await quiet(places);
    if (stuck !== undefined)
      ledger.badAnswers.push(`The last runs of the jobs ${some.join(', ')}: ${stuck.what}`);
  }
  for (const [engine, url] of door.urls.entries()) {
    const { status } = await fetch(`${url()}/readyz`);
    if (status !== 200) ledger.badAnswers.push(`Engine ${engine} is not ready after the storm: ${status}.`);
    const { body } = await insist(door, ledger, engine, 'GET', '2.0/nodes', {});
    const nodes: unknown[] = Array.isArray(body['nodes']) ? body['nodes'] : [];
    const alive = nodes.filter((node) => Object(node)['state'] === 'ALIVE');
    if (alive.length !== door.urls.length)
      ledger.badAnswers.push(`Engine ${engine} sees ${alive.length} nodes alive after the storm.`);
  }
}

async function startLast(jobId: number, engine: number, door: Door, ledger: Ledger): Promise<void> {
  const { status, body } = await insist(door, ledger, engine, 'POST', '2.1/jobs/run-now', {
    job_id: jobId,
    idempotency_token: 'the-last',
  });
  const runId = Number(body['run_id']);
  if (status !== 200)
    return void ledger.badAnswers.push(`The last run of job ${jobId} was refused: ${JSON.stringify(body)}`);
  ledger.acknowledged.push({ scope: jobId, token: 'the-last', runId });
  const run = await ask(door, engine, 'GET', '2.1/jobs/runs/get', { run_id: runId });
  if (Object(run?.body['state'])['life_cycle_state'] === 'SKIPPED')
    ledger.badAnswers.push(`The last run of job ${jobId} was skipped: a place has leaked.`);
}

async function endEverything(engines: readonly EngineUnderFire[], runsDirectory: string): Promise<void> {
  await Promise.all(engines.map((engine) => engine.retire()));
  for (const { pid } of await markedProcesses(runsDirectory)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

/** The lines of the engines' logs that name the runs of the first violations. */
async function storyOf(directory: string, violations: readonly Violation[]): Promise<string[]> {
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
