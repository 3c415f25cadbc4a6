/**
 * A query as items that are written anew for DuckDB: what is text and what is a name is taken out of its
 * quotes.
 */
import type { SqlToken } from './tokenizer.ts';

export interface SqlItem {
  /** `text` and `name` hold what stood between the quotes; `code` is written as it is. */
  readonly kind: 'word' | 'number' | 'sign' | 'text' | 'name' | 'code';
  readonly value: string;
  /** Whether a blank or a comment stood before it. */
  readonly spaceBefore: boolean;
  /** Characters before it in the text that it was read from. */
  readonly offset?: number;
}

/** Value of a query parameter: one item, or the two ends of a range. */
export type ParameterValue =
  | { readonly kind: 'one'; readonly item: SqlItem }
  | { readonly kind: 'range'; readonly min: SqlItem; readonly max: SqlItem };

/** The items of a query; comments are left out. */
export function toSqlItems(tokens: readonly SqlToken[]): SqlItem[] {
  const items: SqlItem[] = [];
  let [spaced, next] = [false, 0];
  for (const { kind, text } of tokens) {
    const at = next;
    next += text.length;
    if (kind === 'space' || kind === 'comment') {
      spaced = true;
      continue;
    }
    if (kind === 'text')
      items.push({ kind: 'text', value: unquoteText(text), spaceBefore: spaced, offset: at });
    else if (kind === 'quoted-name')
      items.push({
        kind: 'name',
        value: text.slice(1, -1).replaceAll('``', '`'),
        spaceBefore: spaced,
        offset: at,
      });
    else
      items.push({
        kind: kind === 'word' || kind === 'number' ? kind : 'sign',
        value: text,
        spaceBefore: spaced,
        offset: at,
      });
    spaced = false;
  }
  return items;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  0: '\0',
  Z: '\u001A',
};

/**
 * What a literal stands for: quotes doubled in it are one, and a backslash takes the next character along
 * unless it is raw.
 */
function unquoteText(literal: string): string {
  const [tag] = /^\$\w*\$/u.exec(literal) ?? [];
  if (tag !== undefined)
    return literal.slice(
      tag.length,
      literal.endsWith(tag) && literal.length >= 2 * tag.length ? -tag.length : undefined,
    );
  const isRaw = /^r/i.test(literal);
  const quote = literal[isRaw ? 1 : 0] ?? "'";
  const inside = literal.slice(isRaw ? 2 : 1, -1).replaceAll(quote + quote, quote);
  return isRaw
    ? inside
    : inside.replaceAll(/\\(.)/gsu, (whole, sign: string) =>
        sign === '%' || sign === '_' ? whole : (escapes[sign] ?? sign),
      );
}

/** A text as a literal of DuckDB, in which a backslash is a character like any other. */
export function quoteDuckdbText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as DuckDB writes it. */
export function quoteDuckdbName(name: string): string {
  return name === '*' ? name : `"${name.replaceAll('"', '""')}"`;
}

/**
 * The query for DuckDB. A literal is always parted from a word before it, which would change its meaning
 * (`E'…'`).
 */
export function renderSql(items: readonly SqlItem[]): string {
  const parts: string[] = [];
  for (const [index, item] of items.entries()) {
    const isPlain = item.kind === 'sign';
    const before = items[index - 1];
    const touches = before !== undefined && !isPlain && before.kind !== 'sign';
    parts.push(
      item.spaceBefore || touches ? ' ' : '',
      item.kind === 'text'
        ? quoteDuckdbText(item.value)
        : item.kind === 'name'
          ? quoteDuckdbName(item.value)
          : item.value,
    );
  }
  return parts.join('').trim();
}

/** Whether an item is this keyword or name of a function, given in small letters. */
export function isKeywordItem(item: SqlItem | undefined, word: string): boolean {
  return item?.kind === 'word' && item.value.toLowerCase() === word;
}

export function isSymbol(item: SqlItem | undefined, sign: string): boolean {
  return item?.kind === 'sign' && item.value === sign;
}

/** Index of the bracket that closes the one at `open`; undefined when none does. */
export function findClosingBracket(items: readonly SqlItem[], open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < items.length; index += 1) {
    if (isSymbol(items[index], '(')) depth += 1;
    if (isSymbol(items[index], ')')) depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

/** The arguments between two brackets, as ranges of indices, the end not among them. */
export function splitArguments(
  items: readonly SqlItem[],
  open: number,
  close: number,
): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
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
