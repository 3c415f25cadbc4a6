/** Results of client commands: a table or YAML for people, JSON for scripts. */
import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { stringify } from 'yaml';
import { printDiagnostic, printLine } from '../commands/print-line.ts';
import { sanitizeTerminalText } from '../commands/sanitize-terminal-text.ts';
import { wantsPlainText } from '../config.ts';

/** `-o json`, and its short form `--json`. */
export interface OutputOptions {
  readonly output?: 'text' | 'json';
  readonly json?: true;
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Colour of the value; none by default. */
  readonly colour?: (row: Row) => Colour | undefined;
}

type Colour = 'green' | 'red' | 'cyan' | 'yellow' | 'gray';

/** Returns true when the command prints JSON. */
export function wantsJson({ output, json }: OutputOptions): boolean {
  return json === true || output === 'json';
}

/** Prints rows as a table, or all their fields as a JSON array. @param none what is said without rows */
export function printRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: OutputOptions,
  none: string,
): void {
  if (wantsJson(options)) printJson(rows);
  else if (rows.length === 0) printDiagnostic(none);
  else for (const line of renderTable(rows, columns, usesColours())) printLine(line);
}

/** Prints a document as YAML, or as JSON. */
export function printDocument(document: unknown, options: OutputOptions): void {
  if (wantsJson(options)) printJson(document);
  else process.stdout.write(sanitizeLines(toYaml(document)));
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, undefined, 2));
}

/** Renders a document as YAML without line folding and without anchors. */
export function toYaml(document: unknown): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Renders a table: a line of titles, then a line for each row; columns are aligned by display width. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  colours: boolean,
): string[] {
  const cells = rows.map((row) =>
    columns.map(({ value }) => sanitizeTerminalText(value(row).replaceAll(/\s+/g, ' '), false)),
  );
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => stringWidth(line[index] ?? ''))),
  );
  const render = (line: readonly string[], paint: (text: string, column: number) => string): string =>
    line
      .map((text, index) => {
        const isLast = index === line.length - 1;
        const padding = isLast ? '' : ' '.repeat((widths[index] ?? 0) - stringWidth(text));
        return `${paint(text, index)}${padding}`;
      })
      .join('  ');
  return [
    render(
      columns.map(({ title }) => title),
      (text) => text,
    ),
    ...rows.map((row, index) =>
      render(cells[index] ?? [], (text, column) => {
        const colour = colours ? columns[column]?.colour?.(row) : undefined;
        return colour === undefined ? text : styleText(colour, text, { validateStream: false });
      }),
    ),
  ];
}

/** Returns true when stdout is a terminal that shows colours. */
export function usesColours(): boolean {
  return process.stdout.isTTY && !wantsPlainText();
}

function sanitizeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => sanitizeTerminalText(line, false))
    .join('\n');
}
