/** Truncation of a report to the size of a page. */
import { expect, test } from 'vitest';
import { truncateReport } from '../../../../../engine/run/notebook-page/truncate-report.ts';
import type { CellOutput, NotebookReport } from '../../../../../engine/run/task-output.ts';
import { finishedCell, pngOutput, skippedCell, tableOutput } from './sample-notebooks.ts';

const error = { type: 'error', summary: 'E: no', trace: 'Traceback' } as const;
const note = expect.stringContaining('at most 3000 bytes');

function fitted(report: Partial<NotebookReport>): NotebookReport {
  return truncateReport({ path: '/nb', cells: [], ...report }, 3_000);
}

test('a report that fits is unchanged', () => {
  const report: NotebookReport = {
    path: '/nb',
    parameters: { a: '1' },
    exitValue: 'x',
    error: { summary: 's', trace: 't', cell: 1 },
    cells: [
      finishedCell(
        1,
        'one',
        [
          { type: 'stdout', data: 'é' },
          { type: 'html', data: '<b>' },
          tableOutput([['a', 1]]),
          pngOutput,
          error,
        ],
        { title: 'T' },
      ),
      skippedCell(2, 'two'),
    ],
  };
  expect(truncateReport(report, 10_000)).toEqual(report);
});

test('an output that does not fit is truncated with a note', () => {
  const [first] = fitted({
    cells: [finishedCell(1, '', [{ type: 'stdout', data: 'é'.repeat(2_000) }])],
  }).cells;
  expect(first?.outputs).toEqual([
    { type: 'stdout', data: expect.stringMatching(/^é{900,1000}$/) },
    { type: 'text', data: note },
  ]);
});

test('HTML that does not fit is left out', () => {
  const [first] = fitted({
    cells: [finishedCell(1, 'x', [{ type: 'html', data: 'h'.repeat(5_000) }])],
  }).cells;
  expect(first?.outputs).toEqual([{ type: 'text', data: note }]);
});

test('a table that does not fit keeps its first rows; a picture is left out', () => {
  const rows = Array.from({ length: 500 }, (_, index) => ['a name of some length', index]);
  const [first, second] = fitted({
    cells: [finishedCell(1, '', [tableOutput(rows)]), finishedCell(2, '', [pngOutput])],
  }).cells;
  expect(first?.outputs).toEqual([{ ...tableOutput(rows.slice(0, 34), 500) }, { type: 'text', data: note }]);
  expect(second).toMatchObject({ language: 'markdown', source: expect.stringContaining('1 more cell.') });
  const [only] = truncateReport(
    { path: '/nb', cells: [finishedCell(1, '', [{ ...pngOutput, data: 'A'.repeat(9_000) } as CellOutput])] },
    3_000,
  ).cells;
  expect(only?.outputs).toEqual([{ type: 'text', data: note }]);
});

test('the failure is kept, however large the outputs before it', () => {
  const cells = [
    finishedCell(1, 'a', [{ type: 'stdout', data: 'x'.repeat(5_000) }]),
    finishedCell(2, 'b', [{ type: 'text', data: 'lost' }, error], { status: 'failed' }),
  ];
  const report = fitted({ cells, error: { summary: 'E: no', trace: 'Traceback', cell: 2 } });
  expect(report.error).toEqual({ summary: 'E: no', trace: 'Traceback', cell: 2 });
  expect(report.cells.at(-1)).toMatchObject({
    source:
      '1 more cell. (The rest is left out: an exported notebook has at most 3000 bytes of code and output.)',
  });
  const less = fitted({
    cells: [finishedCell(1, 'a', [{ type: 'stdout', data: 'x'.repeat(1_000) }, error])],
  });
  expect(less.cells[0]?.outputs[1]).toEqual(error);
});

test('code that does not fit is truncated with a note', () => {
  const [first] = fitted({ cells: [finishedCell(1, 'x'.repeat(9_000))] }).cells;
  expect(first?.source).toMatch(/^x{2000,3000}\n# \(The rest is left out/);
});

test('cells that do not fit are counted', () => {
  const cells = Array.from({ length: 1_000 }, (_, index) => finishedCell(index + 1, 'x'));
  const kept = fitted({ cells }).cells;
  expect(kept.length).toBeLessThan(10);
  expect(kept.at(-1)?.source).toContain(`${1_000 - kept.length + 1} more cells.`);
});
