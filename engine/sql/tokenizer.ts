/**
 * Splits SQL text into tokens without losing a character: enough of SQL to know what is code, text, name and
 * comment.
 */

export type SqlTokenKind =
  /** Blanks and line ends. */
  | 'space'
  /** `-- to the end of the line`, or between slashes and stars, which may be nested. */
  | 'comment'
  /** A literal in single or double quotes, raw or not, or between dollar signs. */
  | 'text'
  /** A name in backticks. */
  | 'quoted-name'
  /** A keyword, or a name without quotes. */
  | 'word'
  | 'number'
  /** A parameter `{{ name }}`. */
  | 'marker'
  /** Any other character, two or three of them where they belong together. */
  | 'sign';

export interface SqlToken {
  readonly kind: SqlTokenKind;
  /** Exactly as it stands in the query: all texts together are the query. */
  readonly text: string;
}

/** A marker. Its name holds no braces and no quotes, and is no section of a template. */
export const markerPattern = /\{\{(?=\s*[^\s{}'"`#^/!&>=])[^{}'"`]*\}\}/y;

/** The name between the braces of a marker. */
export function markerName(marker: string): string {
  return marker.slice(2, -2).trim();
}

/**
 * Kind, the characters that a token of it begins with, and its pattern; the first that fits at a place
 * decides.
 */
const patterns: readonly (readonly [SqlTokenKind, RegExp, RegExp])[] = [
  ['space', /\s/, /\s+/y],
  ['comment', /-/, /--[^\r\n]*/y],
  ['marker', /\{/, markerPattern],
  ['number', /[\d.]/, /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['word', /[a-zA-Z_]/, /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['sign', /[<:|\-=>!{}]/, /<=>|::|\|\||->|=>|<=|>=|<>|!=|==|\{\{|\}\}/y],
];

/** The patterns to try at a character of ASCII; at any other all of them are tried. */
const patternsAt = Array.from({ length: 128 }, (_, code) =>
  patterns.filter(([, begins]) => begins.test(String.fromCodePoint(code))),
);

/** The tokens of a query, in order. A literal or comment that does not end goes on to the end of the text. */
export function tokenize(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let place = 0; place < sql.length;) {
    const token = readToken(sql, place);
    tokens.push(token);
    place += token.text.length;
  }
  return tokens;
}

function readToken(sql: string, place: number): SqlToken {
  const enclosed = readEnclosed(sql, place);
  if (enclosed !== undefined) return { kind: enclosed.kind, text: sql.slice(place, enclosed.end) };
  for (const [kind, , pattern] of patternsAt[sql.charCodeAt(place)] ?? patterns) {
    pattern.lastIndex = place;
    const [text] = pattern.exec(sql) ?? [];
    if (text !== undefined) return { kind, text };
  }
  return { kind: 'sign', text: String.fromCodePoint(sql.codePointAt(place) ?? 0) };
}

interface EnclosedToken {
  readonly kind: SqlTokenKind;
  /** Where the next token begins. */
  readonly end: number;
}

/** What begins and ends with signs of its own; undefined when nothing of the kind begins here. */
function readEnclosed(sql: string, place: number): EnclosedToken | undefined {
  const sign = sql[place];
  if (sign === '/' && sql[place + 1] === '*') return { kind: 'comment', end: findCommentEnd(sql, place) };
  if (sign === "'" || sign === '"') return { kind: 'text', end: findQuoteEnd(sql, place, sign, true) };
  if (sign === '`') return { kind: 'quoted-name', end: findQuoteEnd(sql, place, sign, false) };
  if (sign === 'r' || sign === 'R') {
    const quote = sql[place + 1];
    const continues = place > 0 && /[\p{L}\p{N}_]/u.test(sql[place - 1] ?? '');
    if ((quote === "'" || quote === '"') && !continues)
      return { kind: 'text', end: findQuoteEnd(sql, place + 1, quote, false) };
  }
  return sign === '$' ? readDollarQuoted(sql, place) : undefined;
}

/** @param escapes whether a backslash takes the next character along */
function findQuoteEnd(sql: string, start: number, quote: string, escapes: boolean): number {
  for (let place = start + 1; place < sql.length; place += 1) {
    if (escapes && sql[place] === '\\') place += 1;
    else if (sql[place] === quote) {
      // Two quotes are one that belongs to the text.
      if (sql[place + 1] !== quote) return place + 1;
      place += 1;
    }
  }
  return sql.length;
}

/** Where a comment between slashes and stars ends; comments may be nested. */
export function findCommentEnd(sql: string, start: number): number {
  let depth = 0;
  for (let place = start; place < sql.length; place += 1) {
    if (sql.startsWith('/*', place)) depth += 1;
    else if (sql.startsWith('*/', place)) depth -= 1;
    else continue;
    place += 1;
    if (depth === 0) return place + 1;
  }
  return sql.length;
}

const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

function readDollarQuoted(sql: string, place: number): EnclosedToken | undefined {
  dollarTag.lastIndex = place;
  const [tag] = dollarTag.exec(sql) ?? [];
  if (tag === undefined) return undefined;
  const end = sql.indexOf(tag, place + tag.length);
  return { kind: 'text', end: end < 0 ? sql.length : end + tag.length };
}
