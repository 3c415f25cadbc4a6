/** Jupyter notebooks that the driver refuses. */
import { describe, expect, test } from 'vitest';
import { runDriver } from './run-notebook-driver.ts';

describe('a Jupyter notebook', () => {
  const runJupyter = (document: object | string) =>
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
      'a kernel of another language',
      { nbformat: 4, metadata: { kernelspec: { language: 'R' } }, cells: [] },
      /^The notebook is written for the language "r"/,
    ],
    ['invalid JSON', '{', /^The \.ipynb file is not valid JSON/],
    ['no notebook document', [], /^The file is not a Jupyter notebook: it has no field nbformat/],
    ['no cells', { nbformat: 4 }, /^The notebook has no list of cells/],
    [
      'an unknown cell type',
      { nbformat: 4, cells: [{ cell_type: 'heading', source: 'x' }] },
      /^Cell 1 has the cell_type "heading"/,
    ],
  ])('with %s fails before the first cell', async (_case, document, summary) => {
    const { code, report } = await runJupyter(document);
    expect(code).toBe(1);
    expect(report).toMatchObject({ cells: [], error: { cell: 0, summary: expect.stringMatching(summary) } });
  });
});
