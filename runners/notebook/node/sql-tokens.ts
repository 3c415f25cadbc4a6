/** Splits SQL as DuckDB reads it into tokens without losing a character, and those into statements. */
import { findCommentEnd } from '../../../engine/sql/tokenizer.ts';

export interface SqlToken {
  readonly kind:
    | 'space'
    | 'comment'
    | 'text'
    | 'name'
    | 'backtick'
    | 'parameter'
    | 'word'
    | 'number'
    | 'sign';
  /** Exactly as it stands in the cell: all texts together are the cell. */
  readonly text: string;
}

/** Tried in this order. What begins and does not end goes on to the end of the cell. */
const tokenPatterns: readonly (readonly [SqlToken['kind'], RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*/y],
  ['text', /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*'?/y],
  ['text', /'[^']*(?:''[^']*)*'?/y],
  ['name', /"[^"]*(?:""[^"]*)*"?/y],
  ['backtick', /`[^`]*(?:``[^`]*)*`?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['number', /\d[\w.]*/y],
  ['sign', /::|:=|=>/y],
  ['parameter', /:[A-Za-z_]\w*/y],
];

const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

export function tokenizeSql(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let place = 0; place < sql.length;) {
    const token = readToken(sql, place);
    tokens.push(token.kind === 'parameter' && followsValue(tokens) ? { kind: 'sign', text: ':' } : token);
    place += tokens.at(-1)?.text.length ?? 1;
  }
  return tokens;
}

function readToken(sql: string, place: number): SqlToken {
  if (sql.startsWith('/*', place))
    return { kind: 'comment', text: sql.slice(place, findCommentEnd(sql, place)) };
  dollarTag.lastIndex = place;
  const [tag] = dollarTag.exec(sql) ?? [];
  if (tag !== undefined) {
    const end = sql.indexOf(tag, place + tag.length);
    return { kind: 'text', text: sql.slice(place, end < 0 ? sql.length : end + tag.length) };
  }
  for (const [kind, pattern] of tokenPatterns) {
    pattern.lastIndex = place;
    const [text] = pattern.exec(sql) ?? [];
    if (text !== undefined) return { kind, text };
  }
  return { kind: 'sign', text: String.fromCodePoint(sql.codePointAt(place) ?? 0) };
}

/** Behind a value without a blank, a colon parts a slice, or a key of a struct from its value. */
function followsValue(before: readonly SqlToken[]): boolean {
  const last = before.at(-1);
  // `x[:n]` is a slice, `[:a, :b]` a list.
  return isValueToken(last?.text === '[' ? before.at(-2) : last);
}

function isValueToken(token: SqlToken | undefined): boolean {
  if (token === undefined || !isCode(token)) return false;
  return token.kind !== 'sign' || [')', ']', '}'].includes(token.text);
}

/** One statement of a cell. */
export interface SqlStatement {
  readonly tokens: readonly SqlToken[];
  /** The line of the cell in which it begins, from 1. */
  readonly line: number;
}

/** Without the semicolons between them, and without what is nothing but comments. */
export function splitStatements(sql: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let tokens: SqlToken[] = [];
  let line = 1;
  const end = (): void => {
    const start = tokens.findIndex(isCode);
    if (start >= 0) {
      const before = tokens.slice(0, start);
      statements.push({
        tokens: tokens.slice(start, tokens.findLastIndex(isCode) + 1),
        line: line - countNewlines(tokens) + countNewlines(before),
      });
    }
    tokens = [];
  };
  for (const token of tokenizeSql(sql)) {
    if (token.kind === 'sign' && token.text === ';') end();
    else {
      tokens.push(token);
      line += countNewlines([token]);
    }
  }
  end();
  return statements;
}

export function isCode({ kind }: SqlToken): boolean {
  return kind !== 'space' && kind !== 'comment';
}

function countNewlines(tokens: readonly SqlToken[]): number {
  return tokens.reduce((count, { text }) => count + text.split('\n').length - 1, 0);
}
