/** The results of `npm run bench`: collected values, their statistics, and the document that compare.ts reads. */
import type { Recorder, Unit } from './benchmark.ts';
import type { Machine } from './machine.ts';

/** Statistics of one measure. */
export interface Measure {
  readonly measure: string;
  readonly unit: Unit;
  readonly count: number;
  readonly median: number;
  readonly p99: number;
  readonly minimum: number;
  readonly maximum: number;
  /** The value that the project aims at. */
  readonly bar?: number;
}

export interface BenchmarkResult {
  readonly name: string;
  readonly measures: readonly Measure[];
}

/** The document of `--json`. */
export interface ResultDocument {
  readonly format: 1;
  readonly machine: Machine;
  readonly benchmarks: readonly BenchmarkResult[];
}

/** Returns true where a greater value is the better one. */
export function isMoreBetter(unit: Unit): boolean {
  return unit === 'runs/s';
}

/** Collects the values of one benchmark. */
export function createRecorder(): Recorder & { finish(): readonly Measure[] } {
  const values = new Map<string, { readonly unit: Unit; readonly values: number[] }>();
  const ratios: { readonly measure: string; readonly floor: string; readonly bar: number | undefined }[] = [];
  const bars = new Map<string, number>();
  const medianOf = (measure: string): number => percentile(values.get(measure)?.values ?? [], 0.5);
  return {
    record(measure, unit, ...added) {
      const known = values.get(measure) ?? { unit, values: [] };
      values.set(measure, known);
      known.values.push(...added);
    },
    compare: (measure, floor, bar) => void ratios.push({ measure, floor, bar }),
    aimAt: (measure, bar) => void bars.set(measure, bar),
    finish: () => [
      ...[...values].map(([measure, { unit, values: all }]) =>
        describe(measure, unit, all, bars.get(measure)),
      ),
      ...ratios.map(({ measure, floor, bar }) =>
        describe(`${measure} / ${floor}`, 'x', [medianOf(measure) / medianOf(floor)], bar),
      ),
    ],
  };
}

function describe(measure: string, unit: Unit, values: readonly number[], bar: number | undefined): Measure {
  return {
    measure,
    unit,
    count: values.length,
    median: percentile(values, 0.5),
    p99: percentile(values, 0.99),
    minimum: percentile(values, 0),
    maximum: percentile(values, 1),
    ...(bar !== undefined && { bar }),
  };
}

/** @param part 0.5 for the median; 0 of no values */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length - 1) * part)] ?? 0;
}

/** Returns the lines of a table of measures. */
export function formatMeasures(measures: readonly Measure[]): string {
  const rows = measures.map(({ measure, unit, count, median, p99, bar }) => [
    measure,
    `${formatNumber(median)} ${unit}`,
    count > 1 ? `p99 ${formatNumber(p99)}` : '',
    bar === undefined ? '' : `aim ${isMoreBetter(unit) ? '>=' : '<='} ${formatNumber(bar)}`,
    count > 1 ? `n=${count}` : '',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}

/** Formats a number with three significant digits, without an exponent. */
export function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}
