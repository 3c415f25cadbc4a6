/** Behaviour under load: latency at half of the saturation, throughput at twice of it, and many active runs. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { measureMs, nowMs, pause, runConcurrently, waitUntilIdle } from './http-client.ts';
import { withEngine, type MeasuredEngine } from './with-engine.ts';

const connections = 64;
const saturatingRuns = 1_500;
const loadSeconds = 4;
const activeRuns = 900;

async function createJob({ client }: Pick<MeasuredEngine, 'client'>, task: object): Promise<number> {
  const { job_id: jobId } = await client.call('POST', '2.1/jobs/create', {
    name: 'load',
    max_concurrent_runs: 1_000,
    queue: { enabled: true },
    tasks: [{ task_key: 'main', no_op_task: task }],
  });
  return Number(jobId);
}

/** Sends run-now at a fixed rate, whatever the answers do; returns when all have ended. */
async function sendAtRate(
  { client }: Pick<MeasuredEngine, 'client'>,
  jobId: number,
  perSecond: number,
  onAccepted: (latencyMs: number, at: number) => void,
): Promise<{ readonly durationMs: number; readonly refused: number; readonly sent: number }> {
  const count = Math.round(perSecond * loadSeconds);
  const start = nowMs();
  let refused = 0;
  const sent = Array.from({ length: count }, async (_, index) => {
    const due = start + (index * 1_000) / perSecond;
    await pause(Math.max(0, due - nowMs()));
    await client.call('POST', '2.1/jobs/run-now', { job_id: jobId }).then(
      () => onAccepted(nowMs() - due, nowMs()),
      () => (refused += 1),
    );
  });
  await Promise.all(sent);
  await waitUntilIdle(client);
  return { durationMs: nowMs() - start, refused, sent: count };
}

async function measureLoad(context: BenchmarkContext, measured: MeasuredEngine): Promise<void> {
  const { client, dataDirectory } = measured;
  const file = join(dataDirectory, 'marks');
  const jobId = await createJob(measured, {});
  const marking = await createJob(measured, { mark_file: file });
  const saturate = (): Promise<number> =>
    measureMs(async () => {
      await runConcurrently(saturatingRuns, 16, () =>
        client.call('POST', '2.1/jobs/run-now', { job_id: jobId }),
      );
      await waitUntilIdle(client);
    });
  await saturate();
  for (let round = 0; round < context.rounds; round += 1) {
    const saturation = (saturatingRuns * 1_000) / (await saturate());
    context.record('saturation', 'runs/s', saturation);
    await writeFile(file, '');
    const accepted: number[] = [];
    await sendAtRate(measured, marking, saturation / 2, (latency, at) => {
      context.record('half load: run-now sent -> accepted', 'ms', latency);
      accepted.push(at);
    });
    const started = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => Number(BigInt(line)) / 1e6)
      .sort((one, other) => one - other);
    // Both in their order: the runs of one job start in the order in which they are accepted, nearly.
    accepted.sort((one, other) => one - other);
    started.forEach((at, index) =>
      context.record('half load: accepted -> task running', 'ms', at - (accepted[index] ?? at)),
    );
    const twice = await sendAtRate(measured, jobId, saturation * 2, (latency) =>
      context.record('twice the saturation: run-now sent -> accepted', 'ms', latency),
    );
    const done = twice.sent - twice.refused;
    context.record('twice the saturation: completed', 'runs/s', (done * 1_000) / twice.durationMs);
    context.record('twice the saturation: refused', '% of requests', (twice.refused * 100) / twice.sent);
  }
  context.compare('twice the saturation: completed', 'saturation');
}

/** Memory of an engine with many active runs; the task of each waits. */
async function measureActiveRuns(context: BenchmarkContext, measured: MeasuredEngine): Promise<void> {
  const { client, engine } = measured;
  for (let round = 0; round < context.rounds; round += 1) {
    const jobId = await createJob(measured, { milliseconds: 12_000 });
    const before = await smallestHeap(engine);
    const batch = Array.from({ length: activeRuns / 3 }, () => ({}));
    const acceptMs = await measureMs(async () => {
      for (let third = 0; third < 3; third += 1)
        await client.call('POST', '2.1/jobs/run-now-batch', { job_id: jobId, runs: batch });
    });
    context.record(`${activeRuns} tasks at once: all accepted`, 'ms', acceptMs);
    const perRun = ((await smallestHeap(engine)) - before) / activeRuns / 1_024;
    context.record('heap per active run', 'KB', perRun);
    await waitUntilIdle(client, 100);
  }
  context.aimAt('heap per active run', 20);
}

/** The smallest of some readings within four seconds: between them garbage is collected. */
async function smallestHeap(engine: MeasuredEngine['engine']): Promise<number> {
  let smallest = Infinity;
  for (let reading = 0; reading < 8; reading += 1) {
    await pause(500);
    smallest = Math.min(smallest, await engine.readMetric('nodejs_heap_used_bytes'));
  }
  return smallest;
}

export const load: Benchmark = {
  name: 'load',
  summary: `latency at half load, ${loadSeconds} s of twice the saturation, ${activeRuns} tasks at once`,
  run: (context) =>
    withEngine(context.path, connections, async (measured) => {
      await measureLoad(context, measured);
      await measureActiveRuns(context, measured);
    }),
};
