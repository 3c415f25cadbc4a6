/** No-op runs of one job: throughput and processor time through run-now, and the latency of a single one. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { openCommitFloor } from './floors.ts';
import { measureMs, nowMs, runConcurrently, waitUntilIdle, type HttpClient } from './http-client.ts';
import { costPerRun, withEngine, type MeasuredEngine } from './with-engine.ts';

const connections = 16;
const runsPerRound = 2_000;
const latencySamples = 100;
/** Runs of one batch: below the limit up to which launches share a statement. */
const bulkSize = 250;

export async function createNoOpJob({ client }: Pick<MeasuredEngine, 'client'>, task = {}): Promise<number> {
  const { job_id: jobId } = await client.call('POST', '2.1/jobs/create', {
    name: 'no-op',
    max_concurrent_runs: 1_000,
    queue: { enabled: true },
    tasks: [{ task_key: 'main', no_op_task: task }],
  });
  return Number(jobId);
}

async function assertAllSucceeded(client: HttpClient, jobId: number): Promise<void> {
  const { runs } = await client.call('GET', `2.1/jobs/runs/list?job_id=${jobId}&limit=999`);
  for (const run of Array.isArray(runs) ? runs : [])
    if (run.state?.result_state !== 'SUCCESS') throw new Error(`A run failed: ${JSON.stringify(run.state)}`);
}

export async function measureThroughput(
  context: BenchmarkContext,
  { client, engine }: MeasuredEngine,
  jobId: number,
): Promise<void> {
  const before = await engine.cpuSeconds();
  const durationMs = await measureMs(async () => {
    await runConcurrently(runsPerRound, connections, () =>
      client.call('POST', '2.1/jobs/run-now', { job_id: jobId }),
    );
    await waitUntilIdle(client);
  });
  const cost = costPerRun(before, await engine.cpuSeconds(), runsPerRound);
  context.record('throughput', 'runs/s', (runsPerRound * 1_000) / durationMs);
  context.record('processor time per run', 'ms', cost.totalMs);
  context.record('- of the engine', 'ms', cost.engineMs);
  context.record('- of PostgreSQL', 'ms', cost.postgresMs);
}

/** Launches all runs of a round with few requests. */
export async function measureBulk(
  context: BenchmarkContext,
  { client, engine }: MeasuredEngine,
  jobId: number,
): Promise<void> {
  const before = await engine.cpuSeconds();
  const durationMs = await measureMs(async () => {
    for (let launched = 0; launched < runsPerRound; launched += bulkSize) {
      await client.call('POST', '2.1/jobs/run-now-batch', {
        job_id: jobId,
        runs: Array.from({ length: bulkSize }, () => ({})),
      });
    }
    await waitUntilIdle(client);
  });
  const cost = costPerRun(before, await engine.cpuSeconds(), runsPerRound);
  context.record('bulk: throughput', 'runs/s', (runsPerRound * 1_000) / durationMs);
  context.record('bulk: processor time per run', 'ms', cost.totalMs);
}

async function measureLatency(
  context: BenchmarkContext,
  { client, dataDirectory }: MeasuredEngine,
): Promise<void> {
  const file = join(dataDirectory, 'marks');
  const jobId = await createNoOpJob({ client }, { mark_file: file });
  const floor = await openCommitFloor(dataDirectory);
  await writeFile(file, '');
  const accepted: number[] = [];
  for (let sample = 0; sample < latencySamples; sample += 1) {
    const sent = nowMs();
    await client.call('POST', '2.1/jobs/run-now', { job_id: jobId });
    accepted.push(nowMs());
    context.record('run-now sent -> accepted', 'ms', (accepted.at(-1) ?? 0) - sent);
    context.record('one lone commit', 'ms', await floor.measure());
    await waitUntilIdle(client);
  }
  const started = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => Number(BigInt(line)) / 1e6);
  started.forEach((at, index) =>
    context.record('accepted -> task running', 'ms', at - (accepted[index] ?? at)),
  );
  await floor.close();
  await rm(file);
}

export const noOpRuns: Benchmark = {
  name: 'no-op-runs',
  summary: `${runsPerRound} no-op runs of one job through run-now, ${connections} connections, to their end`,
  run: (context) =>
    withEngine(context.path, connections, async (measured) => {
      const jobId = await createNoOpJob(measured);
      // Compiles the code and opens the connections.
      await measureThroughput({ ...context, record: () => undefined }, measured, jobId);
      for (let round = 0; round < context.rounds; round += 1) {
        await measureThroughput(context, measured, jobId);
        await measureBulk(context, measured, jobId);
        await measureLatency(context, measured);
      }
      await assertAllSucceeded(measured.client, jobId);
      context.aimAt('processor time per run', 1);
      context.aimAt('bulk: processor time per run', 0.15);
      context.aimAt('accepted -> task running', 3);
      context.compare('run-now sent -> accepted', 'one lone commit');
    }),
};
