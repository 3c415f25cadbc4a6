/** JavaScript notebooks, run by Node in a process of their own. */
import { readFile, writeFile } from 'node:fs/promises';
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
): Promise<Ran> {
  const context = await createTestContext(changes);
  await writeFile(
    join(context.workspace, 'nb.js'),
    `// Databricks notebook source\n${cells.join('\n// COMMAND ----------\n')}\n`,
  );
  await writeFile(
    join(context.workspace, 'sums.js'),
    'export const sum = (values) => values.reduce((a, b) => a + b, 0);\nexport default "sums";\n',
  );
  const outcome = await notebookRunner.run({ notebook_path: '/nb', base_parameters }, context);
  return { context, outcome, outputs: (await context.report()).cells.map((cell) => cell.outputs) };
}

function text(data: string): CellOutput {
  return { type: 'text', data };
}

test('cells share declarations, use await and import modules', async () => {
  const { context, outcome, outputs } = await run([
    '// MAGIC %md # Sums',
    'import { EOL } from "node:os";\nimport name, {\n  sum as add,\n} from "./sums.js";\nimport * as sums from "./sums";\nconst rows = await Promise.resolve([1, 2]);\nfunction total() { return add(rows); }\nlet late = (await import("./sums.js")).default;',
    'let late = 5; // anew\n[total(), name, sums.sum([1, 1]), late, EOL, require("node:path").sep]',
    'const again = () => late;\nagain()',
    'console.log("one"); console.error("two"); console.log("three"); process.stdout.write("four")\nundefined',
  ]);
  expect([outcome, context.output()]).toEqual([{ kind: 'succeeded' }, {}]);
  expect(outputs.slice(0, 3)).toEqual([[], [], [text("[ 3, 'sums', 2, 5, '\\n', '/' ]")]]);
  expect(outputs[3]).toEqual([text('5')]);
  expect(outputs[4]).toEqual([
    { type: 'stdout', data: 'one\n' },
    { type: 'stderr', data: 'two\n' },
    { type: 'stdout', data: 'three\nfour' },
  ]);
  expect(await context.stdout()).toBe('one\nthree\nfour');
  expect((await context.report()).language).toBe('javascript');
}, 20_000);

test('values are shown as tables, HTML, images or inspected text', async () => {
  const png = Buffer.from('iVBORw0KGgo=', 'base64');
  const { outputs } = await run([
    '[{ a: 1, b: "x" }, { a: 2.5, when: new Date(0), b: null }]',
    'display(Array.from({ length: 15_000 }, (_, i) => ({ i })))',
    `display({ html: "<b>hi</b>" }, Buffer.from("${png.toString('base64')}", "base64"), { svg: "<svg/>" }, "plain", [1, 2]); displayHTML("<i>")`,
    '({ a: [1, { b: 2 }], n: 10n, f() {} })',
    'null',
    'let unseen = 5;',
    '-0',
  ]);
  expect(outputs).toMatchObject([
    [
      {
        type: 'table',
        columns: [
          { name: 'a', type: 'double' },
          { name: 'b', type: 'string' },
          { name: 'when', type: 'string' },
        ],
        rows: [
          [1, 'x', null],
          [2.5, null, '1970-01-01T00:00:00.000Z'],
        ],
      },
    ],
    [{ type: 'table', rows: { length: 10_000 }, rowsTotal: 15_000 }],
    [
      { type: 'html', data: '<b>hi</b>' },
      { type: 'image', mime: 'image/png', data: png.toString('base64') },
      { type: 'image', mime: 'image/svg+xml', data: Buffer.from('<svg/>').toString('base64') },
      text('plain'),
      text('[ 1, 2 ]'),
      { type: 'html', data: '<i>' },
    ],
    [text('{ a: [ 1, { b: 2 } ], n: 10n, f: [Function: f] }')],
    [text('null')],
    [],
    [text('-0')],
  ]);
});

test('widgets, task values and exit work as in Python notebooks', async () => {
  const { context, outcome } = await run(
    [
      'const { widgets, jobs, notebook } = dbutils;\nwidgets.text("year", "1999"); widgets.dropdown("unit", "mm", ["mm", "in"]);\n' +
        'jobs.taskValues.set("rows", { n: 3 }); jobs.taskValues.set({ key: "b", value: [1] });\n' +
        'const got = [widgets.get("year"), widgets.get("unit"), jobs.taskValues.get("before", "n"), jobs.taskValues.get({ taskKey: "before", key: "none", default: 7 })];',
      'try { notebook.exit(got.join()) } catch { /* the exit stands */ }',
      'never()',
    ],
    { year: '2013' },
    { taskValues: { before: { n: '5' } } },
  );
  expect([outcome, context.output()]).toEqual([
    { kind: 'succeeded' },
    { result: '2013,mm,5,7', truncated: false },
  ]);
  expect(JSON.parse(await readFile(join(context.directory, 'values.json'), 'utf8'))).toEqual({
    rows: '{"n":3}',
    b: '[1]',
  });
  expect((await context.report()).cells.map(({ status }) => status)).toEqual([
    'finished',
    'finished',
    'skipped',
  ]);
});

test('a failure shows the line of the cell and only frames of the notebook', async () => {
  const { context, outcome, outputs } = await run([
    'const inner = (o) => {\n  return o.missing.field;\n};',
    'console.log("before");\nawait 1;\ninner({})',
    '3',
  ]);
  expect(outcome).toMatchObject(failed);
  expect(context.output()).toEqual({
    error: "TypeError: Cannot read properties of undefined (reading 'field')",
    errorTrace: [
      'Cell 1, line 2:',
      '    1 | const inner = (o) => {',
      '>   2 |   return o.missing.field;',
      '      |                    ^',
      '    3 | };',
      '',
      "TypeError: Cannot read properties of undefined (reading 'field')",
      '    at inner (Cell 1, line 2:20)',
      '    at Cell 2, line 3:1',
    ].join('\n'),
  });
  expect(outputs.map((cell) => cell.map(({ type }) => type))).toEqual([[], ['stdout', 'error'], []]);
  expect((await context.report()).error?.cell).toBe(2);
});

test.each<[string, string, RegExp]>([
  [
    'an error of syntax',
    'let a = 1;\nlet b = ;',
    /^Cell 1, line 2:\n[^]*\^\n\nSyntaxError: Unexpected token ';'$/,
  ],
  ['a thrown value that is not an error', 'throw "text"', /^Uncaught 'text'$/],
  [
    'an unhandled error in a timer',
    'setTimeout(() => { throw new Error("late") }); await new Promise((done) => setTimeout(done, 60_000))',
    /Error: late\n {4}at Timeout\._onTimeout \(Cell 1, line 1:26\)/,
  ],
  [
    'a promise that never settles',
    'await new Promise(() => {})',
    /^Cell 1 waits for a promise that can never settle\.$/,
  ],
  [
    'process.exit',
    'process.exit(3)',
    /^The notebook process ended with exit code 3 while cell 1 was running\.$/,
  ],
  ['a module that is not there', 'import "./nope.js"', /Error: Cannot find the module "\.\/nope\.js"/],
  [
    'a utility that is missing',
    'dbutils.fs.ls("/")',
    /dbutils\.fs is not available in JavaScript notebooks; dbutils has widgets, notebook, jobs\./,
  ],
  [
    'another language',
    '// MAGIC %sql\n// MAGIC SELECT 1',
    /^Cell 1 is a %sql cell, which is not supported in a JavaScript notebook\. Supported are JavaScript and Markdown\./,
  ],
  [
    'a parameter that was not given',
    'dbutils.widgets.get("year")',
    /No widget or run parameter is named "year"; none exist\./,
  ],
])(
  'a notebook fails with the reason for %s',
  async (_, cell, reason) => {
    const { context, outcome } = await run([cell]);
    expect(outcome).toMatchObject(failed);
    const { error, errorTrace } = context.output() ?? {};
    expect(errorTrace ?? error).toMatch(reason);
  },
  20_000,
);

test('a cell over the output limit ends the run, even in an endless loop', async () => {
  const { context, outputs } = await run(
    ['try { for (;;) console.log("x".repeat(99)) } catch {}'],
    {},
    { limits: { ...defaultLimits, notebookCellBytes: 1_000 } },
  );
  expect(context.output()?.error).toBe(
    'Cell 1 exceeded the output limit of 1000 bytes. The rest of the run was cancelled.',
  );
  expect(outputs[0]?.[0]).toEqual({ type: 'stdout', data: `${'x'.repeat(99)}\n`.repeat(10) });
});

test('a notebook sees no environment variable of the service', async () => {
  const { outputs } = await run([
    'Object.keys(process.env).filter((name) => !["PATH", "RUNYARD_MANAGED_FS", "RUNYARD_WORKSPACE", "PWD", "SHLVL", "_", "OLDPWD"].includes(name))',
  ]);
  expect(outputs).toEqual([[text('[]')]]);
});
