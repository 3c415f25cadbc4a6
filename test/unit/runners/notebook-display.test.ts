/** Tables and images of Python notebooks. */
import { describe, expect, test } from 'vitest';
import { findPythonWith, lastCellOutputs, notebookSource, runDriver } from './run-notebook-driver.ts';

describe('the last value of a cell', () => {
  const runCell = async (cell: string, python?: string) =>
    lastCellOutputs(
      await runDriver(notebookSource(cell), {}, 2 ** 20, {
        ...(python !== undefined && { python }),
        env: { RUNYARD_NOTEBOOK_SHELL: 'plain' },
      }),
    );

  test.each<[string, string, unknown]>([
    [
      'is a table with the keys and types of dictionaries',
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
      'is a table with text for values that JSON does not support',
      'import datetime, decimal\ndisplay([{"big": 2**60, "nan": float("nan"), "inf": float("inf"), ' +
        '"day": datetime.date(2024, 1, 2), "dec": decimal.Decimal("1.10"), "raw": b"\\xff", "odd": [1]}])',
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
  ])('%s', async (_case, cell, table) => {
    expect(await runCell(cell)).toEqual([{ type: 'table', ...(table as object) }]);
  });

  test('is a table of at most 10,000 rows, with the total number', async () => {
    const [table] = await runCell('display([{"n": n} for n in range(10005)])');
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
      'a MIME bundle',
      'class P:\n  def _repr_mimebundle_(self, **o): return {"text/plain": "p", "image/jpeg": "/9j/"}\nP()',
      { type: 'image', mime: 'image/jpeg', data: '/9j/' },
    ],
  ])('is an image when it has a representation as %s', async (_case, cell, image) => {
    expect(await runCell(cell)).toEqual([image]);
  });

  const pandas = findPythonWith('pandas');
  test.skipIf(pandas === undefined)('is a table when it is a pandas data frame', async () => {
    expect(
      await runCell('import pandas\npandas.DataFrame({"a": [1, 2], "b": ["x", None]})', pandas),
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

  const matplotlib = findPythonWith('matplotlib');
  test.skipIf(matplotlib === undefined)(
    'is an image for matplotlib figures, at plt.show() and at the end of the cell',
    async () => {
      expect(
        await runCell(
          'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint("then")\nplt.plot([2, 1]);',
          matplotlib,
        ),
      ).toMatchObject([
        { type: 'image', mime: 'image/png' },
        { type: 'stdout', data: 'then\n' },
        { type: 'image', mime: 'image/png' },
      ]);
      // A displayed figure is shown again only when it changed.
      const displayed =
        'import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\ndisplay(figure)\n';
      expect(await runCell(displayed, matplotlib)).toHaveLength(1);
      expect(await runCell(`${displayed}axes.plot([2, 1]);`, matplotlib)).toHaveLength(2);
    },
  );
});
