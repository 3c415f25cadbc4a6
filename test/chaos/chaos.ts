/**
 * The long form: `npm run chaos -- --minutes N [--seed S]`. One scene after the other, each with a seed of
 * its own, until the time is over.
 */
import { parseArgs } from 'node:util';
import { playScene } from './scene.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    scenes: { type: 'string', default: 'Infinity' },
    seconds: { type: 'string', default: '60' },
    runs: { type: 'string', default: '160' },
    keep: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
const [minutes, scenesMax, seconds, runs] = [
  Number(values.minutes),
  Number(values.scenes),
  Number(values.seconds),
  Number(values.runs),
];
const firstSeed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
// All that a scene has started is ended with it.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const until = Date.now() + minutes * 60_000;
const totals = new Map<string, number>();
const looks = new Map<string, number>();
let [scenes, violations] = [0, 0];

function add(to: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [name, times] of from) to.set(name, (to.get(name) ?? 0) + times);
}

say(`Chaos for ${minutes} minutes, first seed ${firstSeed}.`);
while (Date.now() < until && scenes < scenesMax) {
  const seed = firstSeed + scenes;
  say(`Scene ${scenes + 1}, seed ${seed}.`);
  const plan = {
    seed,
    stormMs: seconds * 1_000,
    runs,
    jobs: 16,
    faultEveryMs: 1_500,
    say: values.quiet ? () => undefined : (line: string) => say(`  ${line}`),
  };
  const report = await playScene(plan, values.keep, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
    say('Broken off.');
    process.exit(130);
  });
  scenes += 1;
  add(totals, report.counts);
  add(looks, report.verdict.looks);
  violations += report.verdict.violations.length;
  say(
    `  ${report.counts.get('runs')} runs, ${report.counts.get('attempts')} attempts, ${report.verdict.violations.length} violations.`,
  );
  for (const { invariant, runId, what } of report.verdict.violations)
    say(`  VIOLATION (seed ${seed}) ${invariant}${runId === undefined ? '' : `, run ${runId}`}: ${what}`);
  for (const line of report.story) say(`  ${line}`);
}
const table = (title: string, from: ReadonlyMap<string, number>): string =>
  [
    title,
    ...[...from]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, times]) => `  ${name.padEnd(60)}${String(times).padStart(9)}`),
  ].join('\n');
say(table('What happened', totals));
say(table('What was looked at', looks));
say(`${scenes} scenes (seeds ${firstSeed} to ${firstSeed + scenes - 1}), ${violations} violations.`);
process.exitCode = violations === 0 ? 0 : 1;
