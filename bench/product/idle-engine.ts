/** An engine without work: memory, processor time and statements. */
import { createTemporaryDirectory, startEngineUnderTest } from '../engine-under-test.ts';
import type { Benchmark } from './benchmark.ts';
import { pause } from './http-client.ts';

const idleSeconds = 20;
/** Excludes the work of the start. */
const settleMs = 5_000;

export const idleEngine: Benchmark = {
  name: 'idle',
  summary: `an engine without work for ${idleSeconds} s, with its PostgreSQL`,
  async run(context) {
    const directory = await createTemporaryDirectory();
    // The first start creates the database.
    await (await startEngineUnderTest(directory.path, context.path)).stop();
    for (let round = 0; round < context.rounds; round += 1) {
      const engine = await startEngineUnderTest(directory.path, context.path);
      await pause(settleMs);
      const [cpu, queries] = [
        await engine.cpuSeconds(),
        await engine.readMetric('runyard_database_queries_total'),
      ];
      await pause(idleSeconds * 1_000);
      const [cpuAfter, queriesAfter] = [
        await engine.cpuSeconds(),
        await engine.readMetric('runyard_database_queries_total'),
      ];
      const used = cpuAfter.engine + cpuAfter.postgres - cpu.engine - cpu.postgres;
      context.record('processor', '% CPU', (used / idleSeconds) * 100);
      context.record('statements', 'queries/s', (queriesAfter - queries) / idleSeconds);
      context.record('memory', 'MB', await engine.proportionalMegabytes());
      await engine.stop();
    }
    await directory.remove();
    context.aimAt('processor', 0.3);
    context.aimAt('statements', 3);
    context.aimAt('memory', 150);
  },
};
