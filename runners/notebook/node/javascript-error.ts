/** Describes errors of JavaScript cells: a summary, an excerpt of the cell, the frames of the notebook. */
import { inspect } from 'node:util';
import { CellError } from './driver-protocol.ts';

/** Source of each cell, and the code that was run: the source with rewritten imports. */
export type CellSources = Map<number, { readonly source: string; readonly code: string }>;

interface CellLocation {
  readonly cell: number;
  /** From 0. */
  readonly line: number;
  readonly column: number;
}

const summaryCharactersMax = 2_000;
const traceCharactersMax = 200_000;
const excerptContextLines = 2;

/** Returns the file name of a cell for the inspector. */
export function cellFileName(position: number): string {
  return `runyard-cell-${position}.js`;
}

const cellFrame = /runyard-cell-(\d+)\.js:(\d+):(\d+)/;
const driverFrame = new RegExp(
  `${escapeRegExp(new URL('.', import.meta.url).href)}|\\(?node:(?:inspector|diagnostics_channel|internal/(?:util|process|modules))|new Promise \\(<anonymous>\\)`,
);

/** @param location position reported by the inspector, for syntax errors, which have no frames */
export function toCellError(thrown: unknown, sources: CellSources, location?: CellLocation): CellError {
  const summary = summaryOf(thrown);
  const at = findLocation(thrown) ?? (thrown instanceof SyntaxError ? location : undefined);
  const stack = thrown instanceof Error ? renderStack(thrown) : summary;
  const excerpt = at === undefined ? '' : renderExcerpt(at, sources);
  return new CellError(
    truncateMiddle(summary, summaryCharactersMax),
    truncateMiddle(`${excerpt}${stack}`, traceCharactersMax),
  );
}

function summaryOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `Uncaught ${inspect(thrown, { breakLength: Infinity })}`;
  const [line = ''] = `${String(thrown.name)}: ${String(thrown.message)}`.split('\n');
  return line;
}

/** Renders an error with its causes like Node, without frames of the driver and with readable cell names. */
function renderStack(error: Error): string {
  trimStacks(error, new Set());
  // Node puts an error without frames in brackets.
  return inspect(error, { depth: 4 }).replace(/^\[([^]*)\]$/, '$1');
}

/** Removes frames of Node and of the driver, which are below the first frame of a cell. */
function trimStacks(thrown: unknown, seen: Set<unknown>): void {
  if (!(thrown instanceof Error) || seen.has(thrown)) return;
  seen.add(thrown);
  const lines = String(thrown.stack).split('\n');
  const last = lines.findLastIndex((line) => cellFrame.test(line));
  const own = (line: string): boolean => /^\s+at /.test(line) && driverFrame.test(line);
  const kept = (last >= 0 ? lines.slice(0, last + 1) : lines).filter((line) => !own(line));
  const stack = kept.map((line) => line.replace(cellFrame, 'Cell $1, line $2:$3')).join('\n');
  // Has no effect on a frozen error.
  Reflect.defineProperty(thrown, 'stack', { value: stack, configurable: true, writable: true });
  trimStacks(thrown.cause, seen);
  if (thrown instanceof AggregateError) thrown.errors.forEach((each) => trimStacks(each, seen));
}

/** Returns the location of the topmost frame of a cell. */
function findLocation(thrown: unknown): CellLocation | undefined {
  const [, cell, line, column] = cellFrame.exec(thrown instanceof Error ? String(thrown.stack) : '') ?? [];
  return cell === undefined
    ? undefined
    : { cell: Number(cell), line: Number(line) - 1, column: Number(column) - 1 };
}

function renderExcerpt({ cell, line, column }: CellLocation, sources: CellSources): string {
  const { source = '', code = '' } = sources.get(cell) ?? {};
  const lines = source.split('\n');
  // The column is wrong for a line whose import was rewritten.
  const same = lines[line] === code.split('\n')[line];
  const first = Math.max(0, line - excerptContextLines);
  const shown = lines.slice(first, line + excerptContextLines + 1).flatMap((text, index) => {
    const here = first + index === line;
    const numbered = `${here ? '>' : ' '} ${String(first + index + 1).padStart(3)} | ${text}`;
    return here && same ? [numbered, `      | ${' '.repeat(column)}^`] : [numbered];
  });
  return [`Cell ${cell}, line ${line + 1}:`, ...shown, '', ''].join('\n');
}

function truncateMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.floor(characters / 2);
  return `${text.slice(0, half)} ... (${text.length - 2 * half} characters left out) ... ${text.slice(-half)}`;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
