/** Magics and values in cells of Python notebooks, with and without IPython. */
import { describe, expect, test } from 'vitest';
import { findPythonWith, notebookSource, runDriver, type DriverOptions } from './run-notebook-driver.ts';

const shells: readonly (readonly [string, DriverOptions | undefined])[] = [
  ['the plain shell', { env: { RUNYARD_NOTEBOOK_SHELL: 'plain' } }],
  [
    'IPython',
    ((python) => python && { python, env: { RUNYARD_NOTEBOOK_SHELL: 'ipython' } })(
      findPythonWith('IPython'),
    ) || undefined,
  ],
];

describe.each(shells)('a cell in %s', (name, options) => {
  const plain = name !== 'IPython';
  const runCells = (...cells: string[]) => runDriver(notebookSource(...cells), {}, 10_000, options);

  const cases: [string, string, unknown][] = [
    ['a shell command', '!echo one; echo two', [{ type: 'stdout', data: 'one\ntwo\n' }]],
    [
      'the output of a shell command with a variable as value',
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
      'a line in a string that looks like a magic',
      'x = """\n%nonsense\n!echo no\n"""\nlen(x.split())',
      [{ type: 'text', data: '3' }],
    ],
    ['an operator in brackets that looks like a magic', 'x = (7\n% 4)\nx', [{ type: 'text', data: '3' }]],
    ['settings of interactive sessions', '%matplotlib inline\n%load_ext autoreload', []],
    [
      'a value, printed text and HTML in order',
      'print("a")\ndisplayHTML("<b>")\n{"k": 1}',
      [
        { type: 'stdout', data: 'a\n' },
        { type: 'html', data: '<b>' },
        { type: 'text', data: "{'k': 1}" },
      ],
    ],
  ];

  test.skipIf(options === undefined)('shows the output of magics and values', async () => {
    const { report } = await runCells(...cases.map(([, cell]) => cell));
    expect(report.error).toBeUndefined();
    expect(report.cells.map(({ outputs }, index) => [cases[index]?.[0], outputs])).toEqual(
      cases.map(([caseName, , outputs]) => [caseName, outputs]),
    );
  });

  test.skipIf(options === undefined)(
    'reports exits and failures, with tracebacks of cells only',
    async () => {
      const failed = await runCells('def f(x):\n  return 1 / x', 'f(0)');
      expect(failed.report.error?.trace.split('\n').filter((line) => !/^[\s~^]*$/.test(line))).toEqual([
        'Traceback (most recent call last):',
        '  Cell 2, line 1, in <module>',
        '    f(0)',
        '  Cell 1, line 2, in f',
        '    return 1 / x',
        'ZeroDivisionError: division by zero',
      ]);
      expect(
        (await runCells('try:\n  dbutils.notebook.exit("x")\nexcept Exception: pass', 'never')).report
          .exitValue,
      ).toBe('x');
      expect((await runCells('exit()', 'never')).report.cells.map(({ status }) => status)).toEqual([
        'finished',
        'skipped',
      ]);
      expect((await runCells('import sys\nsys.exit(3)')).report.error?.summary).toBe('SystemExit: 3');
      expect((await runCells('x = = 1')).report.error?.summary).toContain('SyntaxError: invalid syntax');
      expect((await runCells('%nonsense')).report.error?.summary).toMatch(
        plain ? /^The line magic %nonsense does not exist/ : /^Line magic function `%nonsense` not found/,
      );
      expect((await runCells('%%nonsense\nx')).report.error?.summary).toContain('%%nonsense does not exist');
      expect(
        (await runDriver(notebookSource('while True: print("x" * 99)'), {}, 1_000, options)).report.error
          ?.summary,
      ).toMatch(/^Cell 1 exceeded the output limit of 1000 bytes/);
    },
  );

  test.skipIf(options === undefined || plain)(
    'supports magics, await, help and get_ipython of IPython',
    async () => {
      const { report } = await runCells(
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
