/** Truncates a report, to bound the memory of the service and the browser. */
import { truncateUtf8, type CellOutput, type NotebookCell, type NotebookReport } from '../task-output.ts';
import type { TableOutput } from './tables.ts';

/** Approximate markup around a cell or an output. */
const frameOverheadBytes = 512;

/** Approximate markup around a value of a table. */
const valueOverheadBytes = 16;

/** Budget of bytes of a page. */
interface ByteBudget {
  /** Takes as much of a text as fits. `cut`: the text was truncated. */
  take(text: string): { readonly text: string; readonly cut: boolean };
  /** Takes the markup of a cell or an output; false when nothing is left. */
  frame(): boolean;
}

/**
 * Truncates a report to about `maxBytes` bytes. The end of the notebook is kept first, then its failures,
 * then the cells in order; a note marks what is left out. HTML is kept completely or not at all.
 */
export function truncateReport(report: NotebookReport, maxBytes: number): NotebookReport {
  const budget = createByteBudget(maxBytes);
  const note = `(The rest is left out: an exported notebook has at most ${maxBytes} bytes of code and output.)`;
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
  const omitted = report.cells.length - cells.length;
  if (omitted > 0)
    cells.push({
      position: cells.length + 1,
      language: 'markdown',
      source: `${omitted} more ${omitted === 1 ? 'cell' : 'cells'}. ${note}`,
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

/** Returns the same output when it fits, a part of it, or undefined when nothing fits. */
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

/** Keeps as many complete rows as fit, and the total number of rows. */
function truncateTable(table: TableOutput, budget: ByteBudget): TableOutput | undefined {
  const fits = (values: readonly unknown[]): boolean =>
    !budget.take(values.map((value) => `${' '.repeat(valueOverheadBytes)}${String(value)}`).join('')).cut;
  if (!fits(table.columns.flatMap(({ name, type }) => [name, type]))) return undefined;
  const firstOmitted = table.rows.findIndex((row) => !fits(row));
  if (firstOmitted === -1) return table;
  return {
    ...table,
    rows: table.rows.slice(0, firstOmitted),
    rowsTotal: table.rowsTotal ?? table.rows.length,
  };
}

function createByteBudget(bytes: number): ByteBudget {
  let remaining = bytes;
  return {
    take(text) {
      const first = truncateUtf8(text, remaining);
      remaining -= Buffer.byteLength(first.text);
      return first;
    },
    frame() {
      remaining = Math.max(0, remaining - frameOverheadBytes);
      return remaining > 0;
    },
  };
}
