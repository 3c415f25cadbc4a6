/** SQL notebooks, run by DuckDB in a process of their own. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { CellOutput } from '../../../engine/run/task-output.ts';
import type { TaskOutcome, RunnerContext } from '../../../runners/contract.ts';
import { notebookRunner } from '../../../runners/notebook/notebook.ts';
import { createTestContext, type TestContext } from './test-context.ts';

const failed = { kind: 'failed', message: 'Workload failed, see run output for details' };

interface Ran {
  readonly context: TestContext;
  readonly outcome: TaskOutcome;
  /** Of each cell. */
  readonly outputs: readonly (readonly CellOutput[])[];
}

async function run(
  cells: readonly string[],
  base_parameters: Record<string, string> = {},
  changes: Partial<RunnerContext> = {},
  prepare?: (context: TestContext) => Promise<void>,
): Promise<Ran> {
  const context = await createTestContext(changes);
  await writeFile(
    join(context.workspace, 'nb.sql'),
    `-- Databricks notebook source\n${cells.join('\n-- COMMAND ----------\n')}\n`,
  );
  await writeFile(join(context.managedFs, 'rain.csv'), 'year,rain\n2012,1.5\n2013,2.5\n2013,4\n');
  await prepare?.(context);
  const outcome = await notebookRunner.run({ notebook_path: '/nb', base_parameters }, context);
  return { context, outcome, outputs: (await context.report()).cells.map((cell) => cell.outputs) };
}

test('cells share tables, statements show rows, and parameters are bound as values', async () => {
  const evil = "2013' OR 1=1 --";
  const { context, outcome, outputs } = await run(
    [
      '-- MAGIC %md # Rain of :year',
      "-- DBTITLE 1,Days\nCREATE TABLE rain AS\nSELECT * FROM read_csv('/dbfs/rain.csv') WHERE year = :year;\nSELECT rain, ':year' AS text FROM rain ORDER BY 1 -- of :year",
      "CREATE WIDGET TEXT unit DEFAULT 'mm';\nCREATE WIDGET TEXT year DEFAULT '1999';\nSELECT :unit, :year, :evil",
      "COPY rain TO 'managed_fs:/out/rain.csv';\nSELECT count(*) AS days FROM read_files(:file, format => 'csv', header => true);\nUPDATE rain SET rain = 0 WHERE rain > 3",
    ],
    { year: '2013', evil, file: 'managed_fs:/out/rain.csv' },
  );
  expect([outcome, context.output()]).toEqual([{ kind: 'succeeded' }, {}]);
  expect(outputs).toEqual([
    [],
    [
      { type: 'text', data: '2 rows' },
      {
        type: 'table',
        columns: [
          { name: 'rain', type: 'double' },
          { name: 'text', type: 'varchar' },
        ],
        rows: [
          [2.5, ':year'],
          [4, ':year'],
        ],
      },
    ],
    [
      {
        type: 'table',
        columns: [
          { name: ':unit', type: 'varchar' },
          { name: ':year', type: 'varchar' },
          { name: ':evil', type: 'varchar' },
        ],
        rows: [['mm', '2013', evil]],
      },
    ],
    [
      { type: 'text', data: '2 rows' },
      { type: 'table', columns: [{ name: 'days', type: 'bigint' }], rows: [[2]] },
      { type: 'text', data: '1 row' },
    ],
  ]);
  expect(await context.report()).toMatchObject({
    path: '/nb',
    language: 'sql',
    parameters: { year: '2013' },
    cells: [
      { language: 'markdown', status: 'finished' },
      { language: 'sql', title: 'Days' },
      {},
      { startTime: expect.any(Number), finishTime: expect.any(Number) },
    ],
  });
  expect(await readFile(join(context.managedFs, 'out/rain.csv'), 'utf8')).toBe(
    'year,rain\n2013,2.5\n2013,4.0\n',
  );
});

test('values keep their types; rows after the first 10,000 are only counted', async () => {
  const { outputs } = await run([
    "SELECT 9007199254740993::bigint AS big, 1.50::decimal(9,2) AS price, date '2027-01-02' AS day, true AS yes, NULL AS nothing, [1,2] AS list, {'a': 1} AS part, interval 3 day AS span, 'nan'::double AS nan",
    "SELECT range AS i, repeat('x', 10) AS text FROM range(1_234_567)",
    "SELECT repeat('x', 1_000_000) AS long FROM range(40)",
    'SUMMARIZE SELECT 1 AS a',
    'EXPLAIN SELECT 1',
    "SELECT date_format(date '2027-01-02', '%Y'), dayofweek(date '2027-01-02'), trunc(3.7), add_months(date '2027-01-02', 1), date '2027-01-02' + INTERVAL 3 day",
    "SET VARIABLE x = 5; SELECT getvariable('x') AS x",
  ]);
  expect(outputs[0]).toMatchObject([
    { rows: [['9007199254740993', 1.5, '2027-01-02', true, null, '[1,2]', '{"a":1}', '3 days', null]] },
  ]);
  expect(outputs[1]).toMatchObject([{ type: 'table', rows: { length: 10_000 }, rowsTotal: 1_234_567 }]);
  expect(outputs[2]).toMatchObject([{ rows: { length: 31 }, rowsTotal: 40 }]);
  expect(outputs[3]).toMatchObject([
    { type: 'table', rows: [['a', 'INTEGER', '1', '1', 1, '1.0', null, '1', '1', '1', 1, 0]] },
  ]);
  expect(outputs[4]).toMatchObject([{ type: 'text', data: expect.stringContaining('PROJECTION') }]);
  expect(outputs[5]).toMatchObject([{ rows: [['2027', 6, 3, '2027-02-02', '2027-01-05 00:00:00']] }]);
  expect(outputs[6]).toMatchObject([{ rows: [[5]] }]);
});

test('a failed statement is reported with its line; earlier results remain', async () => {
  const { context, outcome } = await run(
    [
      'SELECT 1 AS one',
      '-- DBTITLE 1,Bad\nSELECT 2 AS two;\n\nSELECT\n  nope, :year\nFROM range(3);\nSELECT 3',
      'SELECT 4',
    ],
    { year: '2013' },
  );
  expect(outcome).toMatchObject(failed);
  const summary = 'Binder Error: Referenced column "nope" not found in FROM clause! (cell 2, line 4)';
  expect(context.output()).toEqual({
    error: summary,
    errorTrace: expect.stringContaining('LINE 4:   nope, :year'),
  });
  expect(context.output()?.errorTrace).toContain(
    'Cell 2, line 4, in this statement:\n    3 | SELECT\n>   4 |   nope, :year\n    5 | FROM range(3)',
  );
  const report = await context.report();
  expect(report.cells.map(({ status, outputs }) => [status, outputs.map(({ type }) => type)])).toEqual([
    ['finished', ['table']],
    ['failed', ['table', 'error']],
    ['skipped', []],
  ]);
  expect(report.error).toMatchObject({ summary, cell: 2 });
  expect(await context.stderr()).toContain('Candidate bindings');
});

test('only managed_fs and the working directory are accessible', async () => {
  const outside = async (context: TestContext): Promise<void> => {
    await mkdir(join(context.workspace, 'secret'));
    await writeFile(join(context.workspace, 'secret/a.csv'), 'a\n1\n');
    await symlink(join(context.workspace, 'secret'), join(context.managedFs, 'link'));
  };
  const { outcome, outputs } = await run(
    [
      "COPY (SELECT 1 AS a) TO 'mine.csv'; SELECT * FROM 'mine.csv'",
      "SELECT * FROM read_csv('managed_fs:/link/a.csv')",
    ],
    {},
    {},
    outside,
  );
  expect(outcome).toMatchObject(failed);
  expect(outputs).toMatchObject([
    [{ data: '1 row' }, { rows: [[1]] }],
    [
      {
        type: 'error',
        summary: expect.stringContaining('Permission Error'),
        trace: expect.stringContaining('managed_fs:/dir/file.csv'),
      },
    ],
  ]);
});

test.each<[string, string, string]>([
  [
    'a file of the machine',
    "SELECT * FROM read_text('/etc/passwd')",
    'Permission Error: Cannot access file "/etc/passwd"',
  ],
  [
    'the network',
    "SELECT * FROM read_csv('https://example.org/a.csv')",
    'Missing Extension Error: File https://example.org/a.csv requires the extension httpfs',
  ],
  [
    'another language',
    '-- MAGIC %python\n-- MAGIC print(1)',
    'Cell 1 is a %python cell, which is not supported in a SQL notebook. Supported are SQL and Markdown.',
  ],
  [
    'a parameter that was not given',
    'SELECT :month',
    'The statement has the parameter :month, which the run was not given (it was given: year).',
  ],
])('%s is refused with a reason', async (_, cell, reason) => {
  const { context, outcome } = await run([cell], { year: '2013' });
  expect(outcome).toMatchObject(failed);
  expect(context.output()?.error).toContain(reason);
});

test('a cell over the output limit ends the run', async () => {
  const { context, outputs } = await run(
    ["SELECT 1; SELECT repeat('x', 500)", 'SELECT 2'],
    {},
    { limits: { ...defaultLimits, notebookCellBytes: 400 } },
  );
  expect(context.output()?.error).toBe(
    'Cell 1 exceeded the output limit of 400 bytes. The rest of the run was cancelled.',
  );
  expect(outputs.map((cell) => cell.map(({ type }) => type))).toEqual([['table', 'error'], []]);
});

test('a notebook that is not UTF-8 fails with a message', async () => {
  const { context } = await run([], {}, {}, (its) =>
    writeFile(join(its.workspace, 'nb.sql'), Buffer.from([0x53, 0xff])),
  );
  expect(context.output()?.error).toMatch(/^The notebook is not valid UTF-8/);
});
