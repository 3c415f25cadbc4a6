/**
 * Prepares a statement of a SQL notebook for DuckDB: parameters become bound values, and files of managed_fs
 * become paths on this host.
 */
import { findFileItems, isManagedUri, parseFormatPath } from '../../../engine/sql/query-files.ts';
import { parseReadFiles, type ReadFilesCall } from '../../../engine/sql/read-files.ts';
import {
  isKeywordItem,
  isSymbol,
  quoteDuckdbName,
  quoteDuckdbText,
  toSqlItems,
  type ItemRange,
  type SqlItem,
} from '../../../engine/sql/sql-items.ts';
import type { SqlStatement } from '../../../engine/sql/statements.ts';
import type { SqlToken } from '../../../engine/sql/tokenizer.ts';
import { CellError } from './driver-protocol.ts';
import { resolveManagedPath } from './sql-files.ts';

export interface PreparedSql {
  /** Statement on its lines of the cell, so that line numbers of DuckDB are those of the cell. */
  readonly sql: string;
  /** Name of a parameter in `sql` -> value. */
  readonly values: ReadonlyMap<string, string>;
}

/** Statement while it is prepared. */
interface StatementDraft {
  readonly tokens: readonly SqlToken[];
  readonly items: readonly SqlItem[];
  /** Token -> text that replaces it. */
  readonly replacements: Map<SqlToken, string>;
  readonly values: Map<string, string>;
  /** Indices of the items that name a file. */
  readonly files: ReadonlySet<number>;
  readonly root: string;
  readonly valueOf: (parameter: string) => string;
}

/**
 * @param parameters parameters of the run
 * @param root real directory of managed_fs
 * @param hint what to do about a missing parameter
 * @throws CellError when the run does not have a parameter of the statement
 */
export function prepareSql(
  { tokens, line }: SqlStatement,
  parameters: Readonly<Record<string, string>>,
  root: string,
  hint = defaultHint,
): PreparedSql {
  const items = toSqlItems(tokens, 'duckdb');
  const draft: StatementDraft = {
    tokens,
    items,
    replacements: new Map(),
    values: new Map(),
    files: new Set(findFileItems(items, isFile, ['from', 'join', 'to'])),
    root,
    valueOf: (name) => requireParameter(parameters, name, hint),
  };
  for (const index of items.keys()) {
    const call = parseReadFiles(items, index);
    if (call !== undefined) replaceReadFiles(draft, index, call);
  }
  for (let index = 0; index < items.length;) index += replaceItems(draft, index);
  const texts = tokens.map((token) => draft.replacements.get(token) ?? token.text);
  return { sql: '\n'.repeat(line - 1) + texts.join(''), values: draft.values };
}

function isFile({ kind, value }: SqlItem): boolean {
  return kind === 'parameter' || (kind === 'text' && isManagedUri(value));
}

/** Replaces what starts at an index, and returns the number of items that it has. */
function replaceItems(draft: StatementDraft, index: number): number {
  const { items, root, valueOf } = draft;
  const item = items[index];
  if (item?.token === undefined || draft.replacements.has(item.token)) return 1;
  const named = parseFormatPath(items, index);
  if (named !== undefined) {
    const path = quoteDuckdbText(resolveManagedPath(named.path, root, false));
    replaceRange(draft, [index, index + 3], `${named.reader}(${path})`);
    return 3;
  }
  const identifier = findIdentifierParameter(items, index);
  if (identifier !== undefined) {
    replaceRange(draft, [index, index + 4], valueOf(identifier).split('.').map(quoteDuckdbName).join('.'));
    return 4;
  }
  // A file after TO is written.
  const resolve = (text: string): string =>
    draft.files.has(index) ? resolveManagedPath(text, root, isKeywordItem(items[index - 1], 'to')) : text;
  if (item.kind === 'parameter')
    replaceRange(draft, [index, index + 1], `$${bindValue(draft, item.value, resolve(valueOf(item.value)))}`);
  else if (item.kind === 'name' && item.token.text.startsWith('`'))
    replaceRange(draft, [index, index + 1], quoteDuckdbName(item.value));
  else if (item.kind === 'text' && draft.files.has(index))
    replaceRange(draft, [index, index + 1], quoteDuckdbText(resolve(item.value)));
  return 1;
}

/** Replaces the items of a range by a text. Whitespace and comments between them go; line ends stay. */
function replaceRange(
  { tokens, items, replacements }: StatementDraft,
  [start, end]: ItemRange,
  text: string,
): void {
  const first = items[start]?.token;
  const last = items[end - 1]?.token;
  if (first === undefined || last === undefined) return;
  replacements.set(first, text);
  if (first === last) return;
  for (const token of tokens)
    if (token.offset > first.offset && token.offset <= last.offset)
      replacements.set(token, token.text.replaceAll(/[^\n]/g, ''));
}

/** Replaces `read_files` and its options by the function of DuckDB and its options. */
function replaceReadFiles(draft: StatementDraft, index: number, { reader, options }: ReadFilesCall): void {
  replaceRange(draft, [index, index + 1], reader);
  for (const {
    range: [start, end],
    isKnown,
    duckdbName,
  } of options) {
    if (duckdbName !== undefined) replaceRange(draft, [start, start + 1], duckdbName);
    // An unknown option is left to DuckDB; an option that DuckDB lacks goes with the comma before it.
    else if (isKnown) replaceRange(draft, [start - 1, end], '');
  }
}

const defaultHint =
  "Give it in base_parameters or notebook_params, or declare it in a cell before: CREATE WIDGET TEXT <name> DEFAULT ''.";

function requireParameter(parameters: Readonly<Record<string, string>>, name: string, hint: string): string {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (value !== undefined) return value;
  const given = Object.keys(parameters).toSorted().join(', ');
  throw new CellError(
    `The statement has the parameter :${name}, which the run was not given (it was given: ${given || 'none'}). ${hint.replace('<name>', name)}`,
  );
}

/**
 * Binds a value and returns its name. DuckDB ignores the case of names, so names that differ only in case
 * get a number.
 */
function bindValue({ values }: StatementDraft, name: string, value: string): string {
  for (let count = 1; ; count += 1) {
    const boundName = count === 1 ? name.toLowerCase() : `${name.toLowerCase()}_${count}`;
    const known = values.get(boundName);
    if (known !== undefined && known !== value) continue;
    values.set(boundName, value);
    return boundName;
  }
}

/** Returns the parameter of `IDENTIFIER(:name)`, which takes four items, at an index. */
function findIdentifierParameter(items: readonly SqlItem[], index: number): string | undefined {
  const [word, open, parameter, close] = items.slice(index, index + 4);
  const isCall = isKeywordItem(word, 'identifier') && isSymbol(open, '(') && isSymbol(close, ')');
  return isCall && parameter?.kind === 'parameter' ? parameter.value : undefined;
}
