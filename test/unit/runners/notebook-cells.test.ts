/**
 * Cells of a Python notebook beyond plain Python: magics, %run, Jupyter files, tables and pictures, with
 * IPython and without.
 */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  runDriver,
  notebookSource,
  lastCellOutputs,
  systemPython,
  type DriverOptions,
} from './run-notebook-driver.ts';

/**
 * A Python that can import a module: the one of this machine, or the first on the PATH of whoever runs the
 * tests.
 */
function pythonWith(module: string): string | undefined {
  return [systemPython, 'python3'].find(
    (python) => spawnSync(python, ['-c', `import ${module}`]).status === 0,
  );
}

const shells: readonly (readonly [string, DriverOptions | undefined])[] = [
  ['the plain shell', { env: { RUNYARD_NOTEBOOK_SHELL: 'plain' } }],
  [
    'IPython',
    ((python) => python && { python, env: { RUNYARD_NOTEBOOK_SHELL: 'ipython' } })(pythonWith('IPython')) ||
      undefined,
  ],
];

describe.each(shells)('in %s', (name, driving) => {
  const plain = name !== 'IPython';
  const one = (...cells: string[]) => runDriver(notebookSource(...cells), {}, 10_000, driving);

  const cases: [string, string, unknown][] = [
    ['a shell command', '!echo one; echo two', [{ type: 'stdout', data: 'one\ntwo\n' }]],
    [
      'its output as a value, with a name in it',
      'word = "x"\nlines = !echo {word}\nlist(lines)',
      [{ type: 'text', data: "['x']" }],
    ],
    ['a magic in the middle of a block', 'if True:\n  !echo deep', [{ type: 'stdout', data: 'deep\n' }]],
    [
      'a marked line magic of the source format',
      'x = 1\n# MAGIC %sh echo marked\nx',
      [
        { type: 'stdout', data: 'marked\n' },
        { type: 'text', data: '1' },
      ],
    ],
    [
      'what only looks like one, in a text',
      'x = """\n%nonsense\n!echo no\n"""\nlen(x.split())',
      [{ type: 'text', data: '3' }],
    ],
    ['what only looks like one, in brackets', 'x = (7\n% 4)\nx', [{ type: 'text', data: '3' }]],
    ['nothing behind a semicolon', '1 + 1;', []],
    ['settings of interactive sessions are passed over', '%matplotlib inline\n%load_ext autoreload', []],
    [
      'a value, a print and HTML in their order',
      'print("a")\ndisplayHTML("<b>")\n{"k": 1}',
      [
        { type: 'stdout', data: 'a\n' },
        { type: 'html', data: '<b>' },
        { type: 'text', data: "{'k': 1}" },
      ],
    ],
  ];

  test.skipIf(driving === undefined)('magics and values are shown in their cells', async () => {
    const { report } = await one(...cases.map(([, cell]) => cell));
    expect(report.error).toBeUndefined();
    expect(report.cells.map(({ outputs }, index) => [cases[index]?.[0], outputs])).toEqual(
      cases.map(([fact, , outputs]) => [fact, outputs]),
    );
  });

  test.skipIf(driving === undefined)(
    'tracebacks name cells alone, exit and failures pass through',
    async () => {
      const failed = await one('def f(x):\n  return 1 / x', 'f(0)');
      expect(failed.report.error?.trace.split('\n').filter((line) => !/^[\s~^]*$/.test(line))).toEqual([
        'Traceback (most recent call last):',
        '  Cell 2, line 1, in <module>',
        '    f(0)',
        '  Cell 1, line 2, in f',
        '    return 1 / x',
        'ZeroDivisionError: division by zero',
      ]);
      expect(
        (await one('try:\n  dbutils.notebook.exit("x")\nexcept Exception: pass', 'never')).report.exitValue,
      ).toBe('x');
      expect((await one('exit()', 'never')).report.cells.map(({ status }) => status)).toEqual([
        'finished',
        'skipped',
      ]);
      expect((await one('import sys\nsys.exit(3)')).report.error?.summary).toBe('SystemExit: 3');
      expect((await one('x = = 1')).report.error?.summary).toContain('SyntaxError: invalid syntax');
      expect((await one('%nonsense')).report.error?.summary).toMatch(
        plain ? /^The line magic %nonsense does not exist/ : /^Line magic function `%nonsense` not found/,
      );
      expect((await one('%%nonsense\nx')).report.error?.summary).toContain('%%nonsense does not exist');
      expect(
        (await runDriver(notebookSource('while True: print("x" * 99)'), {}, 1_000, driving)).report.error
          ?.summary,
      ).toMatch(/^Cell 1 exceeded the output limit of 1000 bytes/);
    },
  );

  test.skipIf(driving === undefined || plain)(
    'IPython adds its magics, await, help and get_ipython',
    async () => {
      const { report } = await one(
        'import asyncio\nawait asyncio.sleep(0)\n5',
        '%%time\nx = 3\nx',
        'len?',
        'get_ipython() is not None',
        'from IPython.display import HTML, display as d\nd(HTML("<i>"))\nHTML("<b>")',
      );
      expect(report.error).toBeUndefined();
      expect(report.cells.map(({ outputs }) => outputs.at(-1))).toEqual([
        { type: 'text', data: '5' },
        { type: 'text', data: '3' },
        { type: 'stdout', data: expect.stringContaining('number of items') },
        { type: 'text', data: 'True' },
        { type: 'html', data: '<b>' },
      ]);
    },
  );
});

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

  test('brings in what other notebooks define, with arguments that hold while it runs', async () => {
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

  test('an exit in it ends the notebook', async () => {
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
      'a circle',
      './one',
      /^%run of \/team\/one would not end: the notebooks form a cycle \(\/team\/one -> \/team\/two -> \/team\/one\)\.$/,
    ],
    ['itself', '/Workspace/team/nb', /form a cycle \(\/team\/nb -> \/team\/nb\)/],
    ['a failure, by notebook and cell', './bad', /^ZeroDivisionError: division by zero$/],
    [
      'another language',
      './query',
      /^\/team\/query is a SQL notebook; %run supports only Python notebooks\.$/,
    ],
    ['nothing', '', /^%run requires the path of a notebook/],
    [
      'an argument of another form',
      './lib unit=cm',
      /^%run has the argument 'unit=cm'; arguments have the form \$name="value"\.$/,
    ],
  ])('tells of %s', async (_fact, path, summary) => {
    const { report } = await runDriver(notebookSource(`# MAGIC %run ${path}`), {}, 10_000, plain);
    expect(report.error?.summary).toMatch(summary);
    if (path === './bad') expect(report.error?.trace).toContain('/team/bad, cell 2, line 1');
  });
});

describe('Jupyter files', () => {
  const jupyter = (document: object | string) =>
    runDriver(typeof document === 'string' ? document : JSON.stringify(document), {}, 10_000, {
      extension: '.ipynb',
    });
  test.each<[string, object | string, RegExp]>([
    [
      'nbformat 3',
      { nbformat: 3, worksheets: [] },
      /^The notebook has nbformat 3; only nbformat 4 is supported\. Convert it/,
    ],
    [
      'another kernel',
      { nbformat: 4, metadata: { kernelspec: { language: 'R' } }, cells: [] },
      /^The notebook is written for the language "r"/,
    ],
    ['no JSON', '{', /^The \.ipynb file is not valid JSON/],
    ['no notebook', [], /^The file is not a Jupyter notebook: it has no field nbformat/],
    ['no cells', { nbformat: 4 }, /^The notebook has no list of cells/],
    [
      'an unknown cell',
      { nbformat: 4, cells: [{ cell_type: 'heading', source: 'x' }] },
      /^Cell 1 has the cell_type "heading"/,
    ],
  ])('%s is refused before the first cell', async (_fact, document, summary) => {
    const { code, report } = await jupyter(document);
    expect(code).toBe(1);
    expect(report).toMatchObject({ cells: [], error: { cell: 0, summary: expect.stringMatching(summary) } });
  });
});

describe('tables and pictures', () => {
  const last = async (cell: string, python?: string) =>
    lastCellOutputs(
      await runDriver(notebookSource(cell), {}, 2 ** 20, {
        ...(python !== undefined && { python }),
        env: { RUNYARD_NOTEBOOK_SHELL: 'plain' },
      }),
    );

  test.each<[string, string, unknown]>([
    [
      'dictionaries: their keys in order, types by their values',
      'display([{"a": 1, "b": "x"}, {"a": 2.5, "c": True}])',
      {
        columns: [
          { name: 'a', type: 'double' },
          { name: 'b', type: 'string' },
          { name: 'c', type: 'boolean' },
        ],
        rows: [
          [1, 'x', null],
          [2.5, null, true],
        ],
      },
    ],
    [
      'what JSON cannot hold',
      'import datetime, decimal\ndisplay([{"big": 2**60, "nan": float("nan"), "inf": float("inf"), "day": datetime.date(2024, 1, 2), "dec": decimal.Decimal("1.10"), "raw": b"\\xff", "odd": [1]}])',
      {
        columns: [
          ['big', 'bigint'],
          ['nan', 'string'],
          ['inf', 'double'],
          ['day', 'date'],
          ['dec', 'decimal'],
          ['raw', 'binary'],
          ['odd', 'string'],
        ].map(([name, type]) => ({ name, type })),
        rows: [['1152921504606846976', null, 'inf', '2024-01-02', '1.10', 'ff', '[1]']],
      },
    ],
  ])('%s', async (_fact, cell, table) => {
    expect(await last(cell)).toEqual([{ type: 'table', ...(table as object) }]);
  });

  test('a table that is too long is cut, and says how long it was', async () => {
    const [table] = await last('display([{"n": n} for n in range(10005)])');
    expect(table).toMatchObject({ type: 'table', rowsTotal: 10_005, rows: { length: 10_000 } });
  });

  test.each<[string, string, unknown]>([
    [
      'PNG',
      'class P:\n  def _repr_png_(self): return b"\\x89PNG"\nP()',
      { type: 'image', mime: 'image/png', data: 'iVBORw==' },
    ],
    [
      'SVG',
      'class P:\n  def _repr_svg_(self): return "<svg/>"\nP()',
      { type: 'image', mime: 'image/svg+xml', data: 'PHN2Zy8+' },
    ],
    [
      'a bundle',
      'class P:\n  def _repr_mimebundle_(self, **o): return {"text/plain": "p", "image/jpeg": "/9j/"}\nP()',
      { type: 'image', mime: 'image/jpeg', data: '/9j/' },
    ],
  ])('a value that draws itself: %s', async (_fact, cell, image) => {
    expect(await last(cell)).toEqual([image]);
  });

  const pandas = pythonWith('pandas');
  test.skipIf(pandas === undefined)('a pandas data frame is a table', async () => {
    expect(
      await last('import pandas\npandas.DataFrame({"a": [1, 2], "b": ["x", None]})', pandas),
    ).toMatchObject([
      {
        type: 'table',
        rows: [
          [1, 'x'],
          [2, null],
        ],
      },
    ]);
  });

  const matplotlib = pythonWith('matplotlib');
  test.skipIf(matplotlib === undefined)(
    'figures of matplotlib are shown by plt.show() and at the end of a cell',
    async () => {
      expect(
        await last(
          'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint("then")\nplt.plot([2, 1]);',
          matplotlib,
        ),
      ).toMatchObject([
        { type: 'image', mime: 'image/png' },
        { type: 'stdout', data: 'then\n' },
        { type: 'image', mime: 'image/png' },
      ]);
      // One that was displayed is shown again only when more has come into it.
      const displayed =
        'import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\ndisplay(figure)\n';
      expect(await last(displayed, matplotlib)).toHaveLength(1);
      expect(await last(`${displayed}axes.plot([2, 1]);`, matplotlib)).toHaveLength(2);
    },
  );
});
