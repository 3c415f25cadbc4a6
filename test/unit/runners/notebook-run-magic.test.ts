/** The magic %run of Python notebooks. */
import { describe, expect, test } from 'vitest';
import { notebookSource, runDriver } from './run-notebook-driver.ts';

describe('%run', () => {
  const workspaceFiles = {
    'lib.py': notebookSource(
      'dbutils.widgets.text("unit", "mm")\nUNIT = dbutils.widgets.get("unit")',
      '# MAGIC %md text',
      '# MAGIC %run ./deeper',
    ),
    'deeper.py': notebookSource('def show(x): return str(x) + UNIT', 'print("deep")'),
    'one.py': notebookSource('# MAGIC %run ./two'),
    'two.py': notebookSource('# MAGIC %run ./one'),
    'bad.py': notebookSource('x = 1', '\n1 / 0'),
    'query.sql': '-- Databricks notebook source\nselect 1',
    'ends.py': notebookSource('dbutils.notebook.exit("inner")'),
  };
  const plain = { workspaceFiles, env: { RUNYARD_NOTEBOOK_SHELL: 'plain' } };

  test('imports the definitions of notebooks, with arguments that apply only to them', async () => {
    const driven = await runDriver(
      notebookSource('# MAGIC %run ./lib $unit="cm"', 'show(5), dbutils.widgets.get("unit")'),
      {},
      10_000,
      plain,
    );
    expect(driven.report.cells.map(({ outputs }) => outputs)).toEqual([
      [{ type: 'stdout', data: 'deep\n' }],
      [{ type: 'text', data: "('5cm', 'mm')" }],
    ]);
  });

  test('of a notebook that exits ends the calling notebook', async () => {
    const { code, report } = await runDriver(
      notebookSource('# MAGIC %run ./ends', 'never()'),
      {},
      10_000,
      plain,
    );
    expect([code, report.exitValue, report.cells[1]?.status]).toEqual([0, 'inner', 'skipped']);
  });

  test.each<[string, string, RegExp]>([
    [
      'a cycle',
      './one',
      /^%run of \/team\/one would not end: the notebooks form a cycle \(\/team\/one -> \/team\/two -> \/team\/one\)\.$/,
    ],
    ['the notebook itself', '/Workspace/team/nb', /form a cycle \(\/team\/nb -> \/team\/nb\)/],
    ['a failing notebook', './bad', /^ZeroDivisionError: division by zero$/],
    [
      'a notebook of another language',
      './query',
      /^%run \.\/query: \/team\/query is a SQL notebook; %run supports only Python notebooks\.$/,
    ],
    ['no path', '', /^%run requires the path of a notebook/],
    [
      'an invalid argument',
      './lib unit=cm',
      /^%run has the argument 'unit=cm'; arguments have the form \$name="value"\.$/,
    ],
  ])('of %s fails with a clear summary', async (_case, path, summary) => {
    const { report } = await runDriver(notebookSource(`# MAGIC %run ${path}`), {}, 10_000, plain);
    expect(report.error?.summary).toMatch(summary);
    if (path === './bad') expect(report.error?.trace).toContain('/team/bad, cell 2, line 1');
  });
});
