/** Measures an idle engine for a minute: CPU time of engine and PostgreSQL, and queries. */
import { createTemporaryDirectory, startEngineUnderTest } from './engine-under-test.ts';

const seconds = 60;
const directory = await createTemporaryDirectory();
const engine = await startEngineUnderTest(directory.path, '/usr/bin:/bin');
// Excludes the work of the start.
await new Promise((resolve) => {
  setTimeout(resolve, 5_000);
});
const [cpu, queries] = [await engine.cpuSeconds(), await engine.readMetric('runyard_database_queries_total')];
await new Promise((resolve) => {
  setTimeout(resolve, seconds * 1_000);
});
const [cpuAfter, queriesAfter] = [
  await engine.cpuSeconds(),
  await engine.readMetric('runyard_database_queries_total'),
];
const percent = (before: number, after: number): string =>
  `${(((after - before) / seconds) * 100).toFixed(2)} % of a core`;
process.stdout.write(
  [
    `idle for ${seconds} s`,
    `engine:     ${percent(cpu.engine, cpuAfter.engine)}`,
    `postgresql: ${percent(cpu.postgres, cpuAfter.postgres)}`,
    `queries:    ${((queriesAfter - queries) / seconds).toFixed(2)} a second`,
    '',
  ].join('\n'),
);
await engine.stop();
await directory.remove();
