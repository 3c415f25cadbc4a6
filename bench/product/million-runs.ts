/** Pages of runs/list and batches of the retention with 1,000,000 stored runs. */
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import {
  createTemporaryDirectory,
  startEngineUnderTest,
  type EngineUnderTest,
} from '../engine-under-test.ts';
import { seedManyRuns } from '../seed-runs.ts';
import { systemClock } from '../../engine/clock.ts';
import { listExpiredRuns } from '../../storage/postgres/runs/retention.ts';
import { deleteRun } from '../../storage/postgres/runs/run-removal.ts';
import { connectBesideEngine } from './database.ts';
import { connectTo, measureMs } from './http-client.ts';

const sizes = { few: 1_000, many: 1_000_000 };
const runsPerJob = 1_000;
const samplesPerRound = 50;

interface SeededEngine {
  readonly engine: EngineUnderTest;
  readonly firstStart: number;
  readonly jobs: readonly number[];
  readonly dataDirectory: string;
  readonly remove: () => Promise<void>;
}

async function startSeeded(runs: number, path: string): Promise<SeededEngine> {
  const directory = await createTemporaryDirectory();
  const seeded = await seedManyRuns(directory.path, runs, runs / runsPerJob);
  const engine = await startEngineUnderTest(directory.path, path);
  return {
    ...seeded,
    engine,
    dataDirectory: directory.path,
    async remove() {
      await engine.stop();
      await directory.remove();
    },
  };
}

/** Names and queries of the pages. */
const pages: readonly (readonly [string, (seeded: SeededEngine) => string])[] = [
  ['first page', () => ''],
  ['runs of a job', ({ jobs }) => `job_id=${jobs[0]}`],
  ['active runs', () => 'active_only=true'],
  ['completed runs', () => 'completed_only=true'],
  ['one-time runs', () => 'run_type=SUBMIT_RUN'],
  ['oldest runs', ({ firstStart }) => `start_time_to=${firstStart + 600_000}`],
];

async function measurePages(context: BenchmarkContext, few: SeededEngine, many: SeededEngine): Promise<void> {
  const [fewClient, manyClient] = [few, many].map(({ engine }) => connectTo(engine, [engine.token], 1));
  const floor = `first page of ${sizes.few} runs`;
  for (let sample = 0; sample < samplesPerRound * context.rounds; sample += 1) {
    const list = (client: typeof fewClient, query: string): Promise<number> =>
      measureMs(async () => client?.call('GET', `2.1/jobs/runs/list?${query}`));
    context.record(floor, 'ms', await list(fewClient, ''));
    for (const [name, query] of pages) context.record(name, 'ms', await list(manyClient, query(many)));
  }
  for (const [name] of pages) context.compare(name, floor, 2);
  fewClient?.close();
  manyClient?.close();
}

/** Runs that one batch of the retention removes, as cli/housekeeping/retention-job.ts does. */
const batchSize = 100;

async function measureRetention(context: BenchmarkContext, { dataDirectory }: SeededEngine): Promise<void> {
  const { db, close } = await connectBesideEngine(dataDirectory);
  for (let batch = 0; batch < 5 * context.rounds; batch += 1) {
    const now = systemClock.now();
    let expired: number[] = [];
    const listMs = await measureMs(async () => {
      expired = await listExpiredRuns(db, now, batchSize);
    });
    context.record(`retention: list of ${batchSize} runs`, 'ms', listMs);
    for (const runId of expired)
      context.record('retention: removal of a run', 'ms', await measureMs(() => deleteRun(db, runId, now)));
  }
  await close();
  context.aimAt(`retention: list of ${batchSize} runs`, 10);
  context.aimAt('retention: removal of a run', 10);
}

export const millionRuns: Benchmark = {
  name: 'million-runs',
  summary: `pages of runs/list and retention with ${sizes.many.toLocaleString('en')} stored runs`,
  async run(context) {
    context.note('storing the runs');
    const few = await startSeeded(sizes.few, context.path);
    const many = await startSeeded(sizes.many, context.path);
    await measurePages(context, few, many);
    await measureRetention(context, many);
    await Promise.all([few.remove(), many.remove()]);
  },
};
