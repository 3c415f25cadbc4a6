/** The time until the service is ready: with a new data directory, and with an existing one. */
import { createTemporaryDirectory, startEngineUnderTest } from '../engine-under-test.ts';
import type { Benchmark } from './benchmark.ts';

const startsPerRound = 2;

export const coldStart: Benchmark = {
  name: 'cold-start',
  summary: 'start to ready, with a new data directory and with an existing one',
  async run(context) {
    for (let round = 0; round < context.rounds; round += 1) {
      const directory = await createTemporaryDirectory();
      const first = await startEngineUnderTest(directory.path, context.path);
      context.record('new data directory', 'ms', first.startMs);
      await first.stop();
      for (let start = 0; start < startsPerRound; start += 1) {
        const next = await startEngineUnderTest(directory.path, context.path);
        context.record('existing data directory', 'ms', next.startMs);
        const { engine, postgres } = await next.cpuSeconds();
        context.record('- processor time of the engine', 'ms', engine * 1_000);
        context.record('- processor time of PostgreSQL', 'ms', postgres * 1_000);
        await next.stop();
      }
      await directory.remove();
    }
    context.aimAt('existing data directory', 700);
  },
};
