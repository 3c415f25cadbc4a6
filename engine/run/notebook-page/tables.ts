/** Renders a result set or data frame: names and types of columns, rows, and the number of rows. */
import type { CellOutput, CellValue } from '../task-output.ts';
import { html, trustedMarkup, type Markup } from './markup.ts';

export type TableOutput = Extract<CellOutput, { type: 'table' }>;

/** Numeric column types of DuckDB, pandas, Spark and JavaScript; their values are aligned to the right. */
const numericTypes =
  /^(?:u?(?:tiny|small|big|huge)?int(?:eger)?\d*|decimal.*|numeric|double|float\d*|real|number|bigint|long|short)\b/i;

const nullCell = trustedMarkup('<td class="null">null</td>');

/** Renders a table. @param cell position of its cell, for screen readers */
export function tableMarkup({ columns, rows, rowsTotal }: TableOutput, cell: number): Markup {
  const isNumeric = columns.map(({ type }) => numericTypes.test(type));
  const heads = columns.map(
    ({ name, type }, index) =>
      html`<th scope="col"${isNumeric[index] === true ? trustedMarkup(' class="num"') : undefined}>${name}<small>${type}</small></th>`,
  );
  const lines = rows.map(
    (row) =>
      html`<tr>${columns.map((_, index) => valueMarkup(row[index], isNumeric[index] === true))}</tr>
`,
  );
  return html`<div class="output table" tabindex="0" role="group" aria-label="Table of cell ${cell}"><table><thead><tr>${heads}</tr></thead><tbody>
${lines}</tbody></table></div><p class="hint">${sizeText(rows.length, columns.length, rowsTotal)}</p>
`;
}

function valueMarkup(value: CellValue | undefined, isNumeric: boolean): Markup {
  if (value === null || value === undefined) return nullCell;
  const number = isNumeric || typeof value === 'number';
  return html`<td${number ? trustedMarkup(' class="num"') : undefined}>${String(value)}</td>`;
}

/** Returns `3 rows, 2 columns`, and how many of the rows are shown. */
function sizeText(shown: number, columns: number, total = shown): string {
  const width = `${columns} ${columns === 1 ? 'column' : 'columns'}`;
  const all = `${formatCount(total)} ${total === 1 ? 'row' : 'rows'}`;
  return total > shown ? `The first ${formatCount(shown)} of ${all}, ${width}` : `${all}, ${width}`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
