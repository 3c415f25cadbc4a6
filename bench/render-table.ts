/** `node bench/render-table.ts RESULTS.json`: prints the results of `npm run bench -- --json` as a Markdown table. */
import { readFile } from 'node:fs/promises';
import { formatMachine } from './product/machine.ts';
import { formatNumber, isMoreBetter, type Measure, type ResultDocument } from './product/results.ts';

function renderAim({ bar, unit }: Measure): string {
  return bar === undefined ? '' : `${isMoreBetter(unit) ? '>=' : '<='} ${formatNumber(bar)}`;
}

const { machine, benchmarks }: ResultDocument = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8'));
process.stdout.write(
  `${formatMachine(machine)}\n\n| Benchmark | Measure | Median | p99 | Aim |\n|---|---|---|---|---|\n`,
);
for (const { name, measures } of benchmarks) {
  for (const measure of measures) {
    const p99 = measure.count > 1 ? formatNumber(measure.p99) : '';
    process.stdout.write(
      `| ${name} | ${measure.measure} | ${formatNumber(measure.median)} ${measure.unit} | ${p99} | ${renderAim(measure)} |\n`,
    );
  }
}
