/** Runs chaos scenarios until the time is over: `npm run chaos -- --minutes N [--seed S] [--scenarios N]`. */
import { parseArgs } from 'node:util';
import { runChaosScenario } from './scenario.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    scenarios: { type: 'string', default: 'Infinity' },
    seconds: { type: 'string', default: '60' },
    runs: { type: 'string', default: '160' },
    keep: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
const [minutes, maxScenarios, seconds, runs] = [
  Number(values.minutes),
  Number(values.scenarios),
  Number(values.seconds),
  Number(values.runs),
];
const firstSeed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
// The running scenario ends its processes before the program exits.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const until = Date.now() + minutes * 60_000;
const totals = new Map<string, number>();
const checkCounts = new Map<string, number>();
let [scenarios, violations] = [0, 0];

function addCounts(to: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [name, times] of from) to.set(name, (to.get(name) ?? 0) + times);
}

printLine(`Chaos for ${minutes} minutes, first seed ${firstSeed}.`);
while (Date.now() < until && scenarios < maxScenarios) {
  const seed = firstSeed + scenarios;
  printLine(`Scenario ${scenarios + 1}, seed ${seed}.`);
  const plan = {
    seed,
    durationMs: seconds * 1_000,
    runs,
    jobs: 16,
    faultEveryMs: 1_500,
    log: values.quiet ? () => undefined : (line: string) => printLine(`  ${line}`),
  };
  const report = await runChaosScenario(plan, values.keep, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
    printLine('Aborted.');
    process.exit(130);
  });
  scenarios += 1;
  addCounts(totals, report.counts);
  addCounts(checkCounts, report.invariantReport.checkCounts);
  violations += report.invariantReport.violations.length;
  printLine(
    `  ${report.counts.get('runs')} runs, ${report.counts.get('attempts')} attempts, ${report.invariantReport.violations.length} violations.`,
  );
  for (const { invariant, runId, message } of report.invariantReport.violations)
    printLine(
      `  VIOLATION (seed ${seed}) ${invariant}${runId === undefined ? '' : `, run ${runId}`}: ${message}`,
    );
  for (const line of report.engineLogLines) printLine(`  ${line}`);
}
const renderCounts = (title: string, from: ReadonlyMap<string, number>): string =>
  [
    title,
    ...[...from]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, times]) => `  ${name.padEnd(60)}${String(times).padStart(9)}`),
  ].join('\n');
printLine(renderCounts('Actions and faults', totals));
printLine(renderCounts('Checks', checkCounts));
printLine(
  `${scenarios} scenarios (seeds ${firstSeed} to ${firstSeed + scenarios - 1}), ${violations} violations.`,
);
process.exitCode = violations === 0 ? 0 : 1;
