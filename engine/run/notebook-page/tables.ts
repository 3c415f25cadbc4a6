/**
 * A result set or data frame as HTML: names and types of its columns above its rows, and how many rows were
 * left out.
 */
import type { CellOutput, CellValue } from '../task-output.ts';
import { html, trustedMarkup, type Markup } from './markup.ts';

export type TableOutput = Extract<CellOutput, { type: 'table' }>;

/** Types of columns whose values are read from the right: those of DuckDB, pandas, Spark and JavaScript. */
const numericTypes =
  /^(?:u?(?:tiny|small|big|huge)?int(?:eger)?\d*|decimal.*|numeric|double|float\d*|real|number|bigint|long|short)\b/i;

const nullCell = trustedMarkup('<td class="null">null</td>');

/** @param cell position of its cell, for readers who do not see it */
export function tableMarkup({ columns, rows, rowsTotal }: TableOutput, cell: number): Markup {
  const right = columns.map(({ type }) => numericTypes.test(type));
  const heads = columns.map(
    ({ name, type }, index) =>
      html`<th scope="col"${right[index] === true ? trustedMarkup(' class="num"') : undefined}>${name}<small>${type}</small></th>`,
  );
  const lines = rows.map(
    (row) =>
      html`<tr>${columns.map((_, index) => valueMarkup(row[index], right[index] === true))}</tr>
`,
  );
  return html`<div class="output table" tabindex="0" role="group" aria-label="Table of cell ${cell}"><table><thead><tr>${heads}</tr></thead><tbody>
${lines}</tbody></table></div><p class="hint">${sizeText(rows.length, columns.length, rowsTotal)}</p>
`;
}

function valueMarkup(value: CellValue | undefined, right: boolean): Markup {
  if (value === null || value === undefined) return nullCell;
  const number = right || typeof value === 'number';
  return html`<td${number ? trustedMarkup(' class="num"') : undefined}>${String(value)}</td>`;
}

/** `3 rows, 2 columns`; what is not shown is said. */
function sizeText(shown: number, columns: number, total = shown): string {
  const width = `${columns} ${columns === 1 ? 'column' : 'columns'}`;
  const all = `${formatCount(total)} ${total === 1 ? 'row' : 'rows'}`;
  return total > shown ? `The first ${formatCount(shown)} of ${all}, ${width}` : `${all}, ${width}`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
