/**
 * The short form of the chaos suite: every promise holds after storms of faults; the long form is `npm run
 * chaos`.
 */
import { expect, test } from 'vitest';
import { playScene } from './scene.ts';

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
    const { verdict, story } = await playScene({
      seed,
      stormMs: 10_000,
      runs: 32,
      jobs: 8,
      faultEveryMs: 700,
      say: (line) => said.push(line),
    });
    const about = [`seed ${seed}`, ...said, ...story].join('\n');
    expect(
      verdict.violations.map(({ invariant, runId, what }) => `${invariant} (run ${runId}): ${what}`),
      about,
    ).toEqual([]);
    expect(verdict.looks.get('every acknowledged run is stored')).toBeGreaterThanOrEqual(32);
  },
  400_000,
);
