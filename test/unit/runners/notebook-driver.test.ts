/** The notebook driver, run by a real python3 over notebooks of all sorts. */
import { describe, expect, test } from 'vitest';
import type { CellOutput } from '../../../engine/run/task-output.ts';
import { runDriver, notebookSource, lastCellOutputs } from './run-notebook-driver.ts';

describe('cutting into cells', () => {
  test('titles, markdown and code are told apart, and positions count from 1', async () => {
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
    ['with line ends of Windows', notebookSource('x = 1', 'x').replaceAll('\n', '\r\n')],
  ])('a notebook %s is cut all the same', async (_fact, source) => {
    const driven = await runDriver(source);
    expect(driven.report.cells.map((cell) => cell.source)).toEqual(['x = 1', 'x']);
    expect(lastCellOutputs(driven)).toEqual([{ type: 'text', data: '1' }]);
  });

  test('an empty notebook succeeds with no cells', async () => {
    expect(await runDriver('')).toMatchObject({ code: 0, report: { path: '/team/nb', cells: [] } });
  });

  test.each(['# MAGIC %scala\n# MAGIC val x = 1', '# MAGIC %r\n# MAGIC x <- 1'])(
    'a cell of another language fails by name: %s',
    async (cell) => {
      const { code, report } = await runDriver(notebookSource('1', cell, '2'));
      expect(code).toBe(1);
      expect(report.error?.summary).toMatch(
        /^Cell 2 is a %(scala|r) cell, which is not supported in a Python notebook/,
      );
      expect(report.cells.map((each) => each.status)).toEqual(['finished', 'failed', 'skipped']);
    },
  );
});

describe('what a cell shows', () => {
  test.each<[string, string, readonly CellOutput[]]>([
    ['the value of the last expression', '1\n[2]', [{ type: 'text', data: '[2]' }]],
    ['nothing for None', 'x = 1\nNone', []],
    ['nothing behind a semicolon', '1 + 1;', []],
    ['nothing for a statement', 'x = 1', []],
    [
      'HTML of a value that has it',
      'class T:\n  def _repr_html_(self): return "<b>"\nT()',
      [{ type: 'html', data: '<b>' }],
    ],
    [
      'Markdown of a value that has nothing richer, as text',
      'class T:\n  def _repr_markdown_(self): return "**m**"\nT()',
      [{ type: 'text', data: '**m**' }],
    ],
    [
      'a class as text, though its objects have HTML',
      'class T:\n  def _repr_html_(self): return 1\ndisplay(T)',
      [{ type: 'text', data: "<class '__main__.T'>" }],
    ],
    [
      'what display and displayHTML are given',
      'display(1, "a")\ndisplayHTML("<i>")',
      [
        { type: 'text', data: '1' },
        { type: 'text', data: "'a'" },
        { type: 'html', data: '<i>' },
      ],
    ],
    [
      'both streams in the order of writing',
      'import sys\nprint("a")\nprint("b")\nprint("c", file=sys.stderr)\nprint("d")\n5',
      [
        { type: 'stdout', data: 'a\nb\n' },
        { type: 'stderr', data: 'c\n' },
        { type: 'stdout', data: 'd\n' },
        { type: 'text', data: '5' },
      ],
    ],
    [
      'characters of any kind',
      'print("naïve 東京 \\U0001f600 \\udcff")',
      [{ type: 'stdout', data: 'naïve 東京 \u{1F600} \\udcff\n' }],
    ],
    [
      'modules beside the notebook',
      'from beside import VALUE\nVALUE',
      [{ type: 'text', data: "'imported from beside the notebook'" }],
    ],
    ['that it is the main module', '__name__', [{ type: 'text', data: "'__main__'" }]],
  ])('%s', async (_fact, cell, outputs) => {
    const driven = await runDriver(notebookSource(cell));
    expect(driven).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Traceback') });
    expect(lastCellOutputs(driven)).toEqual(outputs);
  });

  test('what is printed is in the log as well', async () => {
    const { stdout, stderr } = await runDriver(
      notebookSource(
        'print("one")',
        'import os, sys\nprint("two", file=sys.stderr)\nos.system("echo three")',
      ),
    );
    expect([stdout, stderr]).toEqual(['one\nthree\n', 'two\n']);
  });

  test('what processes and threads do with the names of a notebook works', async () => {
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

  test('a future import holds for the cells after it', async () => {
    const driven = await runDriver(
      notebookSource('from __future__ import annotations', 'def f(x: Undefined): pass\nf.__annotations__'),
    );
    expect(lastCellOutputs(driven)).toEqual([{ type: 'text', data: "{'x': 'Undefined'}" }]);
  });
});

describe('widgets', () => {
  test.each<[string, string, string]>([
    [
      'a parameter of the run wins over the default',
      'dbutils.widgets.text("year", "2012")\ndbutils.widgets.get("year")',
      '2013',
    ],
    [
      'the default holds without a parameter',
      'dbutils.widgets.text("city", "Seattle", "City")\ngetArgument("city")',
      'Seattle',
    ],
    ['a parameter needs no declaration', 'dbutils.widgets.get("year")', '2013'],
    ['a parameter survives removeAll', 'dbutils.widgets.removeAll()\ndbutils.widgets.get("year")', '2013'],
    [
      'choices have a default',
      'dbutils.widgets.dropdown("unit", "C", ["C", "F"])\ndbutils.widgets.getArgument("unit")',
      'C',
    ],
    [
      'keywords are accepted',
      'dbutils.widgets.multiselect(name="unit", defaultValue="F", choices=["C", "F"], label="u")\ndbutils.widgets.get("unit")',
      'F',
    ],
    ['a value to fall back on', 'getArgument("gone", "there")', 'there'],
  ])('%s', async (_fact, cell, value) => {
    expect(lastCellOutputs(await runDriver(notebookSource(cell), { year: '2013' }))).toEqual([
      { type: 'text', data: `'${value}'` },
    ]);
  });

  test('getAll has declared and given ones', async () => {
    const driven = await runDriver(
      notebookSource('dbutils.widgets.combobox("a", "1", ["1"])\ndbutils.widgets.getAll()'),
      { b: '2' },
    );
    expect(lastCellOutputs(driven)).toEqual([{ type: 'text', data: "{'a': '1', 'b': '2'}" }]);
  });

  test.each<[string, string, RegExp]>([
    [
      'an unknown widget is named, with those there are',
      'dbutils.widgets.get("yaer")',
      /^ValueError: No widget .* named "yaer"; available are year\./,
    ],
    [
      'a default must be among the choices',
      'dbutils.widgets.dropdown("u", "K", ["C", "F"])',
      /^ValueError: The default "K" of widget "u" is not one of its choices: C, F/,
    ],
    [
      'a value of the run must be among the choices',
      'dbutils.widgets.dropdown("year", "2012", ["2012"])',
      /^ValueError: The value "2013" of widget "year" is not one of its choices: 2012/,
    ],
    [
      'each part of a multiselect must be',
      'dbutils.widgets.multiselect("u", "C,K", ["C", "F"])',
      /^ValueError: The default "C,K" of widget "u" is not one of its choices: C, F/,
    ],
    [
      'secrets say where to put them',
      'dbutils.secrets.get("a", "b")',
      /^NotImplementedError: dbutils\.secrets\.get is not available in Runyard\. Put the value into an environment variable/,
    ],
    [
      'what is no family of utilities says so, too',
      'dbutils.help()',
      /^NotImplementedError: dbutils\.help is not available in Runyard/,
    ],
    [
      'what there is not says so',
      'dbutils.jobs.repair()',
      /^NotImplementedError: dbutils\.jobs\.repair is not available in Runyard/,
    ],
  ])('%s', async (_fact, cell, summary) => {
    const { code, report } = await runDriver(notebookSource(cell), { year: '2013' });
    expect(code).toBe(1);
    expect(report.error?.summary).toMatch(summary);
    // The utilities' own frames are nobody's business.
    expect(report.error?.trace).not.toContain('runyard_driver');
  });
});

describe('the end of a notebook', () => {
  test.each<[string, string, string | undefined]>([
    ['exit gives the value as text', 'dbutils.notebook.exit(42)', '42'],
    ['an empty value is not the same as none', 'dbutils.notebook.exit("")', ''],
    [
      'exit passes the handlers of a cell',
      'try:\n  dbutils.notebook.exit("x")\nexcept Exception:\n  raise ValueError',
      'x',
    ],
    [
      'exit counts even when a bare except swallows it',
      'try:\n  dbutils.notebook.exit("x")\nexcept:\n  pass',
      'x',
    ],
    ['sys.exit(0) is an end without a value', 'import sys\nsys.exit(0)', undefined],
    ['so is exit()', 'exit()', undefined],
  ])('%s', async (_fact, cell, value) => {
    const { code, report } = await runDriver(notebookSource('1', cell, '2'));
    expect(code).toBe(0);
    expect(report.exitValue).toBe(value);
    expect(report.error).toBeUndefined();
    expect(report.cells.map((each) => each.status)).toEqual(['finished', 'finished', 'skipped']);
  });

  test('a failing cell ends the notebook; the cells after it are skipped and were never started', async () => {
    const { code, report, stderr } = await runDriver(notebookSource('print(1)', '1 / 0', 'print(2)'));
    expect(code).toBe(1);
    expect(report.error).toMatchObject({ summary: 'ZeroDivisionError: division by zero', cell: 2 });
    expect(report.cells.map((cell) => [cell.status, cell.startTime === undefined])).toEqual([
      ['finished', false],
      ['failed', false],
      ['skipped', true],
    ]);
    expect(stderr).toContain('ZeroDivisionError');
  });

  test.each<[string, string, string]>([
    ['sys.exit with a code', 'import sys\nsys.exit(3)', 'SystemExit: 3'],
    ['sys.exit with a message', 'import sys\nsys.exit("no input")', 'SystemExit: no input'],
    ['a syntax error', 'x = = 1', 'SyntaxError: invalid syntax'],
    ['an interrupt', 'raise KeyboardInterrupt', 'KeyboardInterrupt'],
    ['a message of several lines is shown by its first', 'raise ValueError("one\\ntwo")', 'ValueError: one'],
    ['endless recursion', 'def f(): f()\nf()', 'RecursionError: maximum recursion depth exceeded'],
    [
      'a value that cannot be shown',
      'class T:\n  def __repr__(self): raise ValueError("no")\nT()',
      'ValueError: no',
    ],
    ['lone surrogates in a message', 'raise ValueError("\\udcff")', 'ValueError: \\udcff'],
  ])('%s fails the notebook', async (_fact, cell, summary) => {
    const { code, report } = await runDriver(notebookSource(cell));
    expect(code).toBe(1);
    expect(report.error?.summary).toContain(summary);
    expect(report.cells[0]?.outputs).toEqual([
      { type: 'error', summary: report.error?.summary, trace: report.error?.trace },
    ]);
  });

  test('a traceback names cells and lines, shows their source, and nothing of the driver', async () => {
    const { report } = await runDriver(
      notebookSource(
        '# MAGIC %md text',
        '# DBTITLE 1,Named\n\ndef f(x):\n  return 1 / x',
        'y = 0\ntry:\n  f(y)\nexcept Exception as e:\n  raise ValueError("bad") from e',
      ),
    );
    const lines = (report.error?.trace ?? '').split('\n').filter((line) => !/^[\s~^]*$/.test(line));
    expect(lines).toEqual([
      'Traceback (most recent call last):',
      '  Cell 3, line 3, in <module>',
      '    f(y)',
      '  Cell 2, line 2, in f',
      '    return 1 / x',
      'ZeroDivisionError: division by zero',
      'The above exception was the direct cause of the following exception:',
      'Traceback (most recent call last):',
      '  Cell 3, line 5, in <module>',
      '    raise ValueError("bad") from e',
      'ValueError: bad',
    ]);
  });

  test('a notebook that is not UTF-8 fails before its first cell', async () => {
    const { code, report } = await runDriver(Buffer.from('print("caf\xe9")', 'latin1'));
    expect(code).toBe(1);
    expect(report).toMatchObject({
      cells: [],
      error: { cell: 0, summary: expect.stringMatching(/^The notebook is not valid UTF-8/) },
    });
  });

  test('the cells before a crash are in the report, and the one that crashed has a start and no end', async () => {
    const { code, report } = await runDriver(notebookSource('print("kept")', 'import os\nos._exit(9)', '3'));
    expect(code).toBe(9);
    expect(report.cells.map((cell) => [cell.startTime !== undefined, cell.finishTime !== undefined])).toEqual(
      [
        [true, true],
        [true, false],
        [false, false],
      ],
    );
    expect(report.cells[0]?.outputs).toEqual([{ type: 'stdout', data: 'kept\n' }]);
  });
});

describe('the output limit of a cell', () => {
  const message = 'Cell 2 exceeded the output limit of 1000 bytes. The rest of the run was cancelled.';
  test.each<[string, string]>([
    ['printed', 'while True: print("x" * 99)'],
    ['counted in bytes', 'print("é" * 501)'],
    ['shown', 'display("x" * 1000)'],
    ['past the handlers of the cell', 'try:\n  print("x" * 1001)\nexcept:\n  pass'],
  ])('a larger output, %s, fails the notebook', async (_fact, cell) => {
    const { code, report } = await runDriver(notebookSource('print("x" * 600)', cell, '3'), {}, 1000);
    expect(code).toBe(1);
    expect(report.error).toMatchObject({ cell: 2, summary: message });
    expect(report.cells.map((each) => each.status)).toEqual(['finished', 'failed', 'skipped']);
    const kept = (report.cells[1]?.outputs ?? []).flatMap((output) =>
      'data' in output ? [output.data] : [],
    );
    expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(1000);
  });

  test('an output of exactly the limit is fine', async () => {
    expect((await runDriver(notebookSource('print("x" * 999)'), {}, 1000)).code).toBe(0);
  });
});
