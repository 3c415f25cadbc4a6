/** Compares runs/list with 100,000 and with 100 stored runs; fails when a query takes twice the time. */
import { createTemporaryDirectory, startEngineUnderTest, type EngineUnderTest } from './engine-under-test.ts';
import { seededIntervalMs, seedRuns, type SeededHistory } from './seed-runs.ts';

const sizes = { few: 100, many: 100_000 };
const samples = 150;
const activeRuns = 5;
const maximumRatio = 2;

interface SeededEngine extends SeededHistory {
  readonly engine: EngineUnderTest;
  readonly runs: number;
  readonly remove: () => Promise<void>;
}

async function startSeededEngine(runs: number): Promise<SeededEngine> {
  const directory = await createTemporaryDirectory();
  // 25 runs of each job, which fill a page.
  const seeded = await seedRuns(directory.path, runs, runs / 25);
  const engine = await startEngineUnderTest(
    directory.path,
    process.argv[2] ?? '/usr/local/bin:/usr/bin:/bin',
  );
  const sleep = Buffer.from('import time\ntime.sleep(3600)\n').toString('base64');
  await engine.call('POST', '2.0/managed_fs/put', { path: '/sleep.py', contents: sleep });
  for (let one = 0; one < activeRuns; one += 1) {
    await engine.call('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'bench',
      spark_python_task: { python_file: 'managed_fs:/sleep.py' },
    });
  }
  return {
    ...seeded,
    runs,
    engine,
    async remove() {
      const { runs: waiting } = await engine.call('GET', '2.0/jobs/runs/list?active_only=true');
      for (const { run_id } of Object(waiting)) await engine.call('POST', '2.0/jobs/runs/cancel', { run_id });
      while ('0' in Object((await engine.call('GET', '2.0/jobs/runs/list?active_only=true'))['runs']));
      await engine.stop();
      await directory.remove();
    },
  };
}

/** Returns the token of a page in the middle of the history. */
async function getMiddlePageToken({ engine, runs }: SeededEngine): Promise<string> {
  return String(
    (await engine.call('GET', `2.1/jobs/runs/list?limit=1&offset=${runs / 2}`))['next_page_token'],
  );
}

const startTimeOf = ({ firstStart }: SeededEngine, index: number): number =>
  firstStart + index * seededIntervalMs;

/** Description -> query. */
const listQueries: readonly (readonly [string, (stored: SeededEngine) => string | Promise<string>])[] = [
  ['the first page', () => ''],
  ['a page in the middle, by its token', async (stored) => `page_token=${await getMiddlePageToken(stored)}`],
  ['runs of a job', ({ jobs }) => `job_id=${jobs[0]}`],
  ['completed runs of a job', ({ jobs }) => `job_id=${jobs.at(-1)}&completed_only=true&limit=1`],
  ['active runs of a job', ({ jobs }) => `job_id=${jobs[0]}&active_only=true`],
  ['one-time runs of a job, without a match', ({ jobs }) => `job_id=${jobs[0]}&run_type=SUBMIT_RUN`],
  ['active runs', () => 'active_only=true'],
  ['completed runs', () => 'completed_only=true'],
  ['one-time runs', () => 'run_type=SUBMIT_RUN'],
  ['runs of workflows, without a match', () => 'run_type=WORKFLOW_RUN'],
  ['runs since the beginning', (stored) => `start_time_from=${startTimeOf(stored, 0)}`],
  ['runs since a while ago', (stored) => `start_time_from=${startTimeOf(stored, stored.runs - 10)}`],
  ['the oldest runs', (stored) => `start_time_to=${startTimeOf(stored, 9)}`],
  [
    'runs of one hour long ago',
    (stored) =>
      `start_time_from=${startTimeOf(stored, stored.runs / 4)}&start_time_to=${startTimeOf(stored, stored.runs / 4 + 10)}`,
  ],
  [
    'completed one-time runs since the middle',
    (stored) =>
      `start_time_from=${startTimeOf(stored, stored.runs / 2)}&run_type=SUBMIT_RUN&completed_only=true`,
  ],
];

/** High resolution, in milliseconds. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Returns the median duration of a query on each engine, ms. Alternates, so that noise affects both. */
async function measureMedians(queries: readonly (readonly [SeededEngine, string])[]): Promise<number[]> {
  const times = queries.map((): number[] => []);
  for (let sample = 0; sample < samples; sample += 1) {
    for (const [index, [{ engine }, query]] of queries.entries()) {
      const before = nowMs();
      await engine.call('GET', `2.1/jobs/runs/list?${query}`);
      times[index]?.push(nowMs() - before);
    }
  }
  return times.map((all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0);
}

const [few, many] = [await startSeededEngine(sizes.few), await startSeededEngine(sizes.many)];
let slowQueries = 0;
process.stdout.write(
  `runs/list, medians of ${samples} in ms, with ${sizes.few} and with ${sizes.many} runs\n`,
);
for (const [name, query] of listQueries) {
  const [of100 = 0, of100000 = 0] = await measureMedians([
    [few, await query(few)],
    [many, await query(many)],
  ]);
  const ratio = of100000 / of100;
  if (ratio >= maximumRatio) slowQueries += 1;
  process.stdout.write(
    `${name.padEnd(50)}${of100.toFixed(2).padStart(8)}${of100000.toFixed(2).padStart(8)}   x ${ratio.toFixed(2)}${ratio >= maximumRatio ? '  too slow' : ''}\n`,
  );
}
await few.remove();
await many.remove();
process.exitCode = slowQueries === 0 ? 0 : 1;
