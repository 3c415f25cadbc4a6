/**
 * `node bench/compare.ts BEFORE.json AFTER.json`: compares two documents of `npm run bench -- --json FILE`, measure
 * by measure. Ends with 1 when a median became worse by more than `--tolerance` (default: 0.25, a quarter).
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatMachine } from './product/machine.ts';
import { formatNumber, isMoreBetter, type Measure, type ResultDocument } from './product/results.ts';

const {
  values: { tolerance },
  positionals: [before = '', after = ''],
} = parseArgs({ allowPositionals: true, options: { tolerance: { type: 'string', default: '0.25' } } });

async function readResults(file: string): Promise<ResultDocument> {
  const document: ResultDocument = JSON.parse(await readFile(file, 'utf8'));
  return document;
}

/** Returns how much worse the second value is: 0.5 for half as fast or for half as much again. */
function worsening({ unit, median }: Measure, later: Measure): number {
  return isMoreBetter(unit) ? median / later.median - 1 : later.median / median - 1;
}

const [first, second] = await Promise.all([readResults(before), readResults(after)]);
process.stdout.write(`before: ${formatMachine(first.machine)}\nafter:  ${formatMachine(second.machine)}\n`);
for (const { name, measures } of second.benchmarks) {
  const known = first.benchmarks.find((benchmark) => benchmark.name === name)?.measures ?? [];
  process.stdout.write(`\n${name}\n`);
  for (const later of measures) {
    const earlier = known.find(({ measure }) => measure === later.measure);
    if (earlier === undefined) continue;
    const isWorse = worsening(earlier, later) > Number(tolerance);
    if (isWorse) process.exitCode = 1;
    const factor = later.median / earlier.median;
    process.stdout.write(
      `  ${later.measure}: ${formatNumber(earlier.median)} -> ${formatNumber(later.median)} ${later.unit} (x ${formatNumber(factor)})${isWorse ? '  WORSE' : ''}\n`,
    );
  }
}
