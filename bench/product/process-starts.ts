/** Starts of processes from a small and from a large engine, and what they do to its event loop. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Benchmark } from './benchmark.ts';

const probe = fileURLToPath(new URL('./process-starts-probe.ts', import.meta.url));

/** What the probe prints. */
interface ProbeResult {
  /** From the call to the end of `true`, in ms, one after the other. */
  readonly startMs: readonly number[];
  /** Delay of the event loop while 1,000 processes start, in ms. */
  readonly delayP99Ms: number;
  readonly delayMaximumMs: number;
  readonly thousandMs: number;
}

/** Runs the probe with a heap of its own. */
async function runProbe(heapMb: number, starter: 'spawner' | 'direct'): Promise<ProbeResult> {
  const words = ['--max-old-space-size=4096', probe, String(heapMb), starter];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env: {}, maxBuffer: 2 ** 24 });
  const result: ProbeResult = JSON.parse(stdout);
  return result;
}

export const processStarts: Benchmark = {
  name: 'process-starts',
  summary: 'starts of `true` by the runner, in a process with a heap of 32 MB and of 1 GB',
  async run(context) {
    for (let round = 0; round < context.rounds; round += 1) {
      for (const [name, heapMb] of [
        ['32 MB', 32],
        ['1 GB', 1_024],
      ] as const) {
        const { startMs, delayP99Ms, delayMaximumMs, thousandMs } = await runProbe(heapMb, 'spawner');
        context.record(`start from ${name}`, 'ms', ...startMs);
        context.record(`1,000 starts from ${name}: p99 of the event-loop delay`, 'ms', delayP99Ms);
        context.record(`1,000 starts from ${name}: longest delay`, 'ms', delayMaximumMs);
        context.record(`1,000 starts from ${name}: duration`, 'ms', thousandMs);
      }
      const direct = await runProbe(1_024, 'direct');
      context.record('start from 1 GB without the spawner', 'ms', ...direct.startMs);
    }
    context.compare('start from 1 GB', 'start from 32 MB', 1.3);
    context.aimAt('1,000 starts from 1 GB: p99 of the event-loop delay', 20);
  },
};
