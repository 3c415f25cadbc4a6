/**
 * `npm run bench [name ...] [-- --rounds 5 --json FILE]`: runs benchmarks against the real service in a process of
 * its own. Without a name: all of them.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { benchmarks } from './product/benchmarks.ts';
import type { Benchmark } from './product/benchmark.ts';
import { describeMachine, formatMachine } from './product/machine.ts';
import {
  createRecorder,
  formatMeasures,
  type BenchmarkResult,
  type ResultDocument,
} from './product/results.ts';

const minimumRounds = 3;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    path: { type: 'string', default: '/usr/local/bin:/usr/bin:/bin' },
    rounds: { type: 'string', default: String(minimumRounds) },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function run({ name, summary, run: measure }: Benchmark): Promise<BenchmarkResult> {
  print(`\n${name}: ${summary}`);
  const recorder = createRecorder();
  const rounds = Math.max(minimumRounds, Number(options.rounds));
  await measure({ ...recorder, rounds, path: options.path, note: (text) => print(`  ... ${text}`) });
  const measures = recorder.finish();
  print(formatMeasures(measures));
  return { name, measures };
}

async function runAll(chosen: readonly Benchmark[]): Promise<void> {
  const machine = await describeMachine(options.path);
  print(formatMachine(machine));
  const results: BenchmarkResult[] = [];
  for (const benchmark of chosen) results.push(await run(benchmark));
  const document: ResultDocument = { format: 1, machine, benchmarks: results };
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(document, undefined, 2)}\n`);
}

const unknown = names.filter((name) => benchmarks.every((benchmark) => benchmark.name !== name));
if (options.list) for (const { name, summary } of benchmarks) print(`${name.padEnd(16)}${summary}`);
else if (unknown.length > 0) {
  print(
    `Unknown benchmark ${unknown.join(', ')}; there are: ${benchmarks.map(({ name }) => name).join(', ')}.`,
  );
  process.exitCode = 2;
} else await runAll(benchmarks.filter(({ name }) => names.length === 0 || names.includes(name)));
