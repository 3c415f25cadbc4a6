/** Cells of Python notebooks: how a source is split, and what cells show. */
import { describe, expect, test } from 'vitest';
import type { CellOutput } from '../../../engine/run/task-output.ts';
import { lastCellOutputs, notebookSource, runDriver } from './run-notebook-driver.ts';

describe('a notebook in source format', () => {
  test('is split into cells with title, language and position', async () => {
    const { code, report } = await runDriver(
      notebookSource(
        '# MAGIC %md\n# MAGIC # Head\n# MAGIC\n# MAGIC text',
        '# DBTITLE 1,Sum of two\n1 + 1',
        '',
        '# MAGIC %python\n# MAGIC x = 1',
      ),
    );
    expect(code).toBe(0);
    expect(report.path).toBe('/team/nb');
    expect(
      report.cells.map(({ position, language, title, source }) => [position, language, title, source]),
    ).toEqual([
      [1, 'markdown', undefined, '# Head\n\ntext'],
      [2, 'python', 'Sum of two', '1 + 1'],
      [3, 'python', undefined, 'x = 1'],
    ]);
  });

  test.each<[string, string]>([
    ['without the header line', 'x = 1\n# COMMAND ----------\nx'],
    ['with a byte order mark', `\uFEFF${notebookSource('x = 1', 'x')}`],
    ['with Windows line breaks', notebookSource('x = 1', 'x').replaceAll('\n', '\r\n')],
  ])('%s is split into the same cells', async (_case, source) => {
    const driven = await runDriver(source);
    expect(driven.report.cells.map((cell) => cell.source)).toEqual(['x = 1', 'x']);
    expect(lastCellOutputs(driven)).toEqual([{ type: 'text', data: '1' }]);
  });

  test('without cells succeeds', async () => {
    expect(await runDriver('')).toMatchObject({ code: 0, report: { path: '/team/nb', cells: [] } });
  });

  test.each(['# MAGIC %scala\n# MAGIC val x = 1', '# MAGIC %r\n# MAGIC x <- 1'])(
    'fails at a cell of another language: %s',
    async (cell) => {
      const { code, report } = await runDriver(notebookSource('1', cell, '2'));
      expect(code).toBe(1);
      expect(report.error?.summary).toMatch(
        /^Cell 2 is a %(scala|r) cell, which is not supported in a Python notebook/,
      );
      expect(report.cells.map(({ status }) => status)).toEqual(['finished', 'failed', 'skipped']);
    },
  );
});

describe('a cell', () => {
  test.each<[string, string, readonly CellOutput[]]>([
    ['shows the value of the last expression', '1\n[2]', [{ type: 'text', data: '[2]' }]],
    ['shows nothing for None', 'x = 1\nNone', []],
    ['shows nothing for an expression with a semicolon', '1 + 1;', []],
    ['shows nothing for a statement', 'x = 1', []],
    [
      'shows the HTML representation of a value',
      'class T:\n  def _repr_html_(self): return "<b>"\nT()',
      [{ type: 'html', data: '<b>' }],
    ],
    [
      'shows the Markdown representation of a value as text',
      'class T:\n  def _repr_markdown_(self): return "**m**"\nT()',
      [{ type: 'text', data: '**m**' }],
    ],
    [
      'shows a class as text, even if its instances have HTML',
      'class T:\n  def _repr_html_(self): return 1\ndisplay(T)',
      [{ type: 'text', data: "<class '__main__.T'>" }],
    ],
    [
      'shows the arguments of display and displayHTML',
      'display(1, "a")\ndisplayHTML("<i>")',
      [
        { type: 'text', data: '1' },
        { type: 'text', data: "'a'" },
        { type: 'html', data: '<i>' },
      ],
    ],
    [
      'shows stdout and stderr in order',
      'import sys\nprint("a")\nprint("b")\nprint("c", file=sys.stderr)\nprint("d")\n5',
      [
        { type: 'stdout', data: 'a\nb\n' },
        { type: 'stderr', data: 'c\n' },
        { type: 'stdout', data: 'd\n' },
        { type: 'text', data: '5' },
      ],
    ],
    [
      'shows Unicode and lone surrogates',
      'print("naïve 東京 \\U0001f600 \\udcff")',
      [{ type: 'stdout', data: 'naïve 東京 \u{1F600} \\udcff\n' }],
    ],
    [
      'imports modules from the folder of the notebook',
      'from beside import VALUE\nVALUE',
      [{ type: 'text', data: "'imported from beside the notebook'" }],
    ],
    ['runs in the module __main__', '__name__', [{ type: 'text', data: "'__main__'" }]],
  ])('%s', async (_case, cell, outputs) => {
    const driven = await runDriver(notebookSource(cell));
    expect(driven).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Traceback') });
    expect(lastCellOutputs(driven)).toEqual(outputs);
  });

  test('also writes its output to the log', async () => {
    const { stdout, stderr } = await runDriver(
      notebookSource(
        'print("one")',
        'import os, sys\nprint("two", file=sys.stderr)\nos.system("echo three")',
      ),
    );
    expect([stdout, stderr]).toEqual(['one\nthree\n', 'two\n']);
  });

  test('defines functions that threads and pickle can use', async () => {
    const cells = [
      'def double(x): return 2 * x',
      'from concurrent.futures import ThreadPoolExecutor\nlist(ThreadPoolExecutor(4).map(double, range(3)))',
      'import pickle\npickle.loads(pickle.dumps(double))(4)',
    ];
    expect((await runDriver(notebookSource(...cells))).report.cells.map((cell) => cell.outputs)).toEqual([
      [],
      [{ type: 'text', data: '[0, 2, 4]' }],
      [{ type: 'text', data: '8' }],
    ]);
  });

  test('applies a __future__ import to later cells', async () => {
    const driven = await runDriver(
      notebookSource('from __future__ import annotations', 'def f(x: Undefined): pass\nf.__annotations__'),
    );
    expect(lastCellOutputs(driven)).toEqual([{ type: 'text', data: "{'x': 'Undefined'}" }]);
  });
});
