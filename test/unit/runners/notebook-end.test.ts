/** Exits, failures and output limits of Python notebooks. */
import { describe, expect, test } from 'vitest';
import { notebookSource, runDriver } from './run-notebook-driver.ts';

describe('a Python notebook', () => {
  test.each<[string, string, string | undefined]>([
    ['has the value of notebook.exit as text', 'dbutils.notebook.exit(42)', '42'],
    ['distinguishes an empty exit value from none', 'dbutils.notebook.exit("")', ''],
    [
      'exits through handlers of Exception',
      'try:\n  dbutils.notebook.exit("x")\nexcept Exception:\n  raise ValueError',
      'x',
    ],
    [
      'exits even when a bare except catches the exit',
      'try:\n  dbutils.notebook.exit("x")\nexcept:\n  pass',
      'x',
    ],
    ['exits without a value at sys.exit(0)', 'import sys\nsys.exit(0)', undefined],
    ['exits without a value at exit()', 'exit()', undefined],
  ])('%s', async (_case, cell, value) => {
    const { code, report } = await runDriver(notebookSource('1', cell, '2'));
    expect(code).toBe(0);
    expect(report.exitValue).toBe(value);
    expect(report.error).toBeUndefined();
    expect(report.cells.map(({ status }) => status)).toEqual(['finished', 'finished', 'skipped']);
  });

  test('ends at a failing cell and skips the later ones', async () => {
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
    ['an exception with a message of several lines', 'raise ValueError("one\\ntwo")', 'ValueError: one'],
    ['endless recursion', 'def f(): f()\nf()', 'RecursionError: maximum recursion depth exceeded'],
    [
      'a value that cannot be shown',
      'class T:\n  def __repr__(self): raise ValueError("no")\nT()',
      'ValueError: no',
    ],
    ['lone surrogates in a message', 'raise ValueError("\\udcff")', 'ValueError: \\udcff'],
  ])('fails for %s', async (_case, cell, summary) => {
    const { code, report } = await runDriver(notebookSource(cell));
    expect(code).toBe(1);
    expect(report.error?.summary).toContain(summary);
    expect(report.cells[0]?.outputs).toEqual([
      { type: 'error', summary: report.error?.summary, trace: report.error?.trace },
    ]);
  });

  test('has a traceback with cells, lines and source, without frames of the driver', async () => {
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

  test('that is not UTF-8 fails before the first cell', async () => {
    const { code, report } = await runDriver(Buffer.from('print("caf\xe9")', 'latin1'));
    expect(code).toBe(1);
    expect(report).toMatchObject({
      cells: [],
      error: { cell: 0, summary: expect.stringMatching(/^The notebook is not valid UTF-8/) },
    });
  });

  test('that crashes reports all cells, and the crashed one without a finish time', async () => {
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
    ['of printed text', 'while True: print("x" * 99)'],
    ['of characters with several bytes', 'print("é" * 501)'],
    ['of display', 'display("x" * 1000)'],
    ['in a handler that catches everything', 'try:\n  print("x" * 1001)\nexcept:\n  pass'],
  ])('fails the notebook for a larger output %s', async (_case, cell) => {
    const { code, report } = await runDriver(notebookSource('print("x" * 600)', cell, '3'), {}, 1000);
    expect(code).toBe(1);
    expect(report.error).toMatchObject({ cell: 2, summary: message });
    expect(report.cells.map(({ status }) => status)).toEqual(['finished', 'failed', 'skipped']);
    const kept = (report.cells[1]?.outputs ?? []).flatMap((output) =>
      'data' in output ? [output.data] : [],
    );
    expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(1000);
  });

  test('accepts an output of exactly the limit', async () => {
    expect((await runDriver(notebookSource('print("x" * 999)'), {}, 1000)).code).toBe(0);
  });
});
