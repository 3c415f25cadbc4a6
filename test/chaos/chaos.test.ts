/**
 * Short form of the chaos suite: every invariant holds after random faults. `npm run chaos` is the long form.
 */
import { expect, test } from 'vitest';
import { runChaosScenario } from './scenario.ts';

/** A fixed seed and a random one. The test prints the seed; `npm run chaos -- --seed S` repeats it. */
const seeds = [20_261, Math.floor(Math.random() * 1_000_000)];

test.each(seeds)(
  'seed %i: after random faults every run is stored and over, no attempt ran twice, and nothing leaked',
  async (seed) => {
    process.stdout.write(`chaos: seed ${seed}\n`);
    const lines: string[] = [];
    const { invariantReport, engineLogLines } = await runChaosScenario({
      seed,
      durationMs: 6_000,
      runs: 24,
      jobs: 6,
      faultEveryMs: 700,
      log: (line) => lines.push(line),
    });
    const context = [`seed ${seed}`, ...lines, ...engineLogLines].join('\n');
    expect(
      invariantReport.violations.map(
        ({ invariant, runId, message }) => `${invariant} (run ${runId}): ${message}`,
      ),
      context,
    ).toEqual([]);
    expect(invariantReport.checkCounts.get('every acknowledged run is stored')).toBeGreaterThanOrEqual(24);
  },
  400_000,
);
