/**
 * The short form of the chaos suite: every promise holds after storms of faults; the long form is `npm run
 * chaos`.
 */
import { expect, test } from 'vitest';
import { runChaosScenario } from './scenario.ts';

/**
 * The last one is new in each run: what it draws is printed, to be played again with `npm run chaos -- --seed
 * S`.
 */
const seeds = [20_261, Math.floor(Math.random() * 1_000_000)];

test.each(seeds)(
  'seed %i: after a storm of faults every run is there and over, nothing ran twice, nothing leaked',
  async (seed) => {
    process.stdout.write(`chaos: seed ${seed}\n`);
    const said: string[] = [];
    const { invariantReport, engineLogLines } = await runChaosScenario({
      seed,
      durationMs: 10_000,
      runs: 32,
      jobs: 8,
      faultEveryMs: 700,
      log: (line) => said.push(line),
    });
    const about = [`seed ${seed}`, ...said, ...engineLogLines].join('\n');
    expect(
      invariantReport.violations.map(
        ({ invariant, runId, message }) => `${invariant} (run ${runId}): ${message}`,
      ),
      about,
    ).toEqual([]);
    expect(invariantReport.checkCounts.get('every acknowledged run is stored')).toBeGreaterThanOrEqual(32);
  },
  400_000,
);
