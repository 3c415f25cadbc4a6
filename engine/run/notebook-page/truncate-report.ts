/**
 * Cuts a report to what a page can carry, so that no notebook makes the service or a browser run out of
 * memory.
 */
import { truncateUtf8, type CellOutput, type NotebookCell, type NotebookReport } from '../task-output.ts';
import type { TableOutput } from './tables.ts';

/** What a page adds around a cell or an output, roughly. */
const frameOverheadBytes = 512;

/** What a page adds around a value of a table. */
const valueOverheadBytes = 16;

/** Hands out bytes until there are none. */
interface ByteBudget {
  /** The beginning of a text, as far as it can be paid for. `cut`: that is not all of it. */
  take(text: string): { readonly text: string; readonly cut: boolean };
  /** Pays for the frame of a cell or an output; false when nothing is left. */
  frame(): boolean;
}

/**
 * A report of at most about `most` bytes. How the notebook ended is kept first, then the cells in their
 * order; where something is left out, a line says so. A piece of HTML is kept whole or not at all.
 */
export function truncateReport(report: NotebookReport, most: number): NotebookReport {
  const budget = createByteBudget(most);
  const note = `(The rest is left out: an exported notebook holds at most ${most} bytes of code and output.)`;
  const { exitValue, error } = report;
  const ending = {
    ...(error !== undefined && {
      error: { ...error, summary: budget.take(error.summary).text, trace: budget.take(error.trace).text },
    }),
    ...(exitValue !== undefined && { exitValue: budget.take(exitValue).text }),
  };
  const failures = new Map(
    report.cells
      .flatMap(({ outputs }) => outputs)
      .filter(({ type }) => type === 'error')
      .map((failure) => [failure, truncateOutput(failure, budget)]),
  );
  const cells: NotebookCell[] = [];
  for (const cell of report.cells) {
    if (!budget.frame()) break;
    cells.push(truncateCell(cell, budget, failures, note));
  }
  const left = report.cells.length - cells.length;
  if (left > 0)
    cells.push({
      position: cells.length + 1,
      language: 'markdown',
      source: `${left} more cells. ${note}`,
      status: 'skipped',
      outputs: [],
    });
  return { ...report, ...ending, cells };
}

function truncateCell(
  cell: NotebookCell,
  budget: ByteBudget,
  failures: ReadonlyMap<CellOutput, CellOutput | undefined>,
  note: string,
): NotebookCell {
  const source = budget.take(cell.source);
  const kept = cell.outputs.map((output) => failures.get(output) ?? truncateOutput(output, budget));
  const whole = kept.every((output, index) => output === cell.outputs[index]);
  return {
    ...cell,
    ...(cell.title !== undefined && { title: budget.take(cell.title).text }),
    source: source.cut ? `${source.text}\n# ${note}` : source.text,
    outputs: [
      ...kept.filter((output) => output !== undefined),
      ...(whole ? [] : [{ type: 'text', data: note } as const]),
    ],
  };
}

/** The output itself when all of it fits; undefined when there is no room for any of it. */
function truncateOutput(output: CellOutput, budget: ByteBudget): CellOutput | undefined {
  if (!budget.frame()) return undefined;
  if (output.type === 'error') {
    const [summary, trace] = [budget.take(output.summary), budget.take(output.trace)];
    return summary.cut || trace.cut ? { type: 'error', summary: summary.text, trace: trace.text } : output;
  }
  if (output.type === 'table') return truncateTable(output, budget);
  const { text, cut } = budget.take(output.data);
  if (!cut) return output;
  return output.type === 'html' || output.type === 'image' || text === ''
    ? undefined
    : { ...output, data: text };
}

/** As many whole rows as fit; what is missing is told as its number of rows. */
function truncateTable(table: TableOutput, budget: ByteBudget): TableOutput | undefined {
  const paid = (values: readonly unknown[]): boolean =>
    !budget.take(values.map((value) => `${' '.repeat(valueOverheadBytes)}${String(value)}`).join('')).cut;
  if (!paid(table.columns.flatMap(({ name, type }) => [name, type]))) return undefined;
  const unpaid = table.rows.findIndex((row) => !paid(row));
  if (unpaid === -1) return table;
  return { ...table, rows: table.rows.slice(0, unpaid), rowsTotal: table.rowsTotal ?? table.rows.length };
}

function createByteBudget(bytes: number): ByteBudget {
  let left = bytes;
  return {
    take(text) {
      const first = truncateUtf8(text, left);
      left -= Buffer.byteLength(first.text);
      return first;
    },
    frame() {
      left = Math.max(0, left - frameOverheadBytes);
      return left > 0;
    },
  };
}
