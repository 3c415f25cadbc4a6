/** Other queues on the same machine, alternating with the same work of the engine. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { createNoOpJob, measureBulk, measureThroughput } from './no-op-runs.ts';
import { withEngine } from './with-engine.ts';

const script = fileURLToPath(new URL('../peers/run-peers.mjs', import.meta.url));
const packages = fileURLToPath(new URL('../peers/node_modules', import.meta.url));
const jobs = 2_000;

interface PeerResult {
  readonly name: string;
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** Measures each peer once; the script warms up before. */
async function measurePeers(context: BenchmarkContext): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(jobs), '1', '--json']);
  const results: readonly PeerResult[] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]');
  for (const { name, perSecond, cpuMs } of results) {
    context.record(name, 'runs/s', perSecond);
    context.record(`${name}: processor time per job`, 'ms', cpuMs);
  }
}

export const peers: Benchmark = {
  name: 'peers',
  summary: 'graphile-worker, pg-boss and DBOS with no-op jobs, alternating with the engine',
  async run(context) {
    if (!existsSync(packages)) {
      context.note('skipped: install the peers with npm ci --prefix bench/peers');
      return;
    }
    await withEngine(context.path, 16, async (measured) => {
      const jobId = await createNoOpJob(measured);
      await measureThroughput({ ...context, record: () => undefined }, measured, jobId);
      for (let round = 0; round < context.rounds; round += 1) {
        await measureThroughput(context, measured, jobId);
        await measureBulk(context, measured, jobId);
        await measurePeers(context);
      }
    });
    context.compare('throughput', 'pg-boss, one by one');
    context.compare('throughput', 'graphile-worker, one by one');
    context.compare('throughput', 'DBOS, one by one');
    context.compare('bulk: throughput', 'graphile-worker, in bulk');
  },
};
