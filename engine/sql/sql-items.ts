/** Items of a query: its code tokens, with literals and names taken out of their quotes. */
import { isCode, type SqlDialect, type SqlToken } from './tokenizer.ts';

export interface SqlItem {
  /** `text`, `name` and `parameter` hold the unquoted value; `code` is written as it is. */
  readonly kind: 'word' | 'number' | 'sign' | 'text' | 'name' | 'parameter' | 'code';
  readonly value: string;
  /** True when whitespace or a comment precedes the item. */
  readonly spaceBefore: boolean;
  /** Token from which the item was read; undefined for items that a rewrite adds. */
  readonly token?: SqlToken;
}

/** Value of a query parameter: one item, or the two ends of a range. */
export type ParameterValue =
  | { readonly kind: 'one'; readonly item: SqlItem }
  | { readonly kind: 'range'; readonly min: SqlItem; readonly max: SqlItem };

/** Returns the items of a query, without its comments. */
export function toSqlItems(tokens: readonly SqlToken[], dialect: SqlDialect = 'spark'): SqlItem[] {
  const items: SqlItem[] = [];
  let spaceBefore = false;
  for (const token of tokens) {
    if (isCode(token)) items.push({ ...toItemValue(token, dialect), spaceBefore, token });
    spaceBefore = !isCode(token);
  }
  return items;
}

function toItemValue({ kind, text }: SqlToken, dialect: SqlDialect): Pick<SqlItem, 'kind' | 'value'> {
  if (kind === 'text') return { kind, value: unquoteText(text, dialect) };
  if (kind === 'quoted-name') return { kind: 'name', value: unquoteName(text) };
  if (kind === 'parameter') return { kind, value: text.slice(1) };
  return { kind: kind === 'word' || kind === 'number' ? kind : 'sign', value: text };
}

/** Returns a quoted name without its quotes. */
export function unquoteName(name: string): string {
  const quote = name.charAt(0);
  return name.slice(1, -1).replaceAll(quote + quote, quote);
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  0: '\0',
  Z: '\u001A',
};

/** Returns the text that a literal denotes: doubled quotes are one quote, and escapes are resolved. */
export function unquoteText(literal: string, dialect: SqlDialect): string {
  const [tag] = /^\$\w*\$/u.exec(literal) ?? [];
  if (tag !== undefined)
    return literal.slice(
      tag.length,
      literal.endsWith(tag) && literal.length >= 2 * tag.length ? -tag.length : undefined,
    );
  const hasPrefix = /^[re]/i.test(literal);
  const quote = literal[hasPrefix ? 1 : 0] ?? "'";
  const inside = literal.slice(hasPrefix ? 2 : 1, -1).replaceAll(quote + quote, quote);
  // A prefix turns escapes off in spark (r'…') and on in duckdb (E'…').
  const hasEscapes = hasPrefix === (dialect === 'duckdb');
  return hasEscapes
    ? inside.replaceAll(/\\(.)/gsu, (whole, sign: string) =>
        sign === '%' || sign === '_' ? whole : (escapes[sign] ?? sign),
      )
    : inside;
}

/** Returns a text as a literal of DuckDB, in which a backslash is an ordinary character. */
export function quoteDuckdbText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns a name as DuckDB writes it. */
export function quoteDuckdbName(name: string): string {
  return name === '*' ? name : `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns the query for DuckDB. A space always separates a literal from a word before it, which would change
 * its meaning (`E'…'`).
 */
export function renderSql(items: readonly SqlItem[]): string {
  const parts: string[] = [];
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    const touches = before !== undefined && item.kind !== 'sign' && before.kind !== 'sign';
    parts.push(item.spaceBefore || touches ? ' ' : '', renderItem(item));
  }
  return parts.join('').trim();
}

function renderItem({ kind, value }: SqlItem): string {
  if (kind === 'text') return quoteDuckdbText(value);
  return kind === 'name' ? quoteDuckdbName(value) : value;
}

/** Tells whether an item is this keyword or function name. @param word in lower case */
export function isKeywordItem(item: SqlItem | undefined, word: string): boolean {
  return item?.kind === 'word' && item.value.toLowerCase() === word;
}

export function isSymbol(item: SqlItem | undefined, sign: string): boolean {
  return item?.kind === 'sign' && item.value === sign;
}

/** Returns the index of the bracket that closes the one at `open`; undefined when it is not closed. */
export function findClosingBracket(items: readonly SqlItem[], open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < items.length; index += 1) {
    if (isSymbol(items[index], '(')) depth += 1;
    if (isSymbol(items[index], ')')) depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

/**
 * Returns the index of the bracket that closes a call of this function at `index`; undefined for anything
 * else.
 */
export function findCallEnd(items: readonly SqlItem[], index: number, name: string): number | undefined {
  return isKeywordItem(items[index], name) && isSymbol(items[index + 1], '(')
    ? findClosingBracket(items, index + 1)
    : undefined;
}

/** Range of item indices: the first, and the one after the last. */
export type ItemRange = readonly [start: number, end: number];

/** Returns the ranges of the arguments between two brackets. */
export function splitArguments(items: readonly SqlItem[], open: number, close: number): ItemRange[] {
  const found: ItemRange[] = [];
  let depth = 0;
  let start = open + 1;
  for (let index = open + 1; index < close; index += 1) {
    const { kind, value } = items[index] ?? { kind: 'word', value: '' };
    if (kind !== 'sign') continue;
    if (value === '(' || value === '[' || value === '{') depth += 1;
    if (value === ')' || value === ']' || value === '}') depth -= 1;
    if (value !== ',' || depth !== 0) continue;
    found.push([start, index]);
    start = index + 1;
  }
  if (start < close) found.push([start, close]);
  return found;
}
