/**
 * Splits SQL text into tokens without losing a character. The tokenizer distinguishes code, literals, names
 * and comments; it does not parse SQL.
 */

/**
 * Dialect of the text. `spark` is the dialect of dashboards and pipelines: `"…"` and `r'…'` are literals, a
 * backslash escapes, and `{{ name }}` is a parameter. `duckdb` is the dialect of SQL notebooks: `"…"` is a
 * name, only `E'…'` has escapes, and `:name` is a parameter.
 */
export type SqlDialect = 'spark' | 'duckdb';

export type SqlTokenKind =
  /** Whitespace and line ends. */
  | 'space'
  /** `-- to the end of the line`, or a block comment, which may be nested. */
  | 'comment'
  /** Text literal, with its quotes or dollar tags. */
  | 'text'
  /** Name in backticks, or in double quotes (duckdb). */
  | 'quoted-name'
  /** Keyword, or name without quotes. */
  | 'word'
  | 'number'
  /** Parameter `{{ name }}` (spark). */
  | 'marker'
  /** Parameter `:name` (duckdb). */
  | 'parameter'
  /** Any other character, or an operator of two or three characters. */
  | 'sign';

export interface SqlToken {
  readonly kind: SqlTokenKind;
  /** Source text of the token; the texts of all tokens together are the input. */
  readonly text: string;
  /** Number of characters before the token in the input. */
  readonly offset: number;
}

/** Marker of a parameter. Its name has no braces and no quotes, and is not a section of a template. */
export const markerPattern = /\{\{(?=\s*[^\s{}'"`#^/!&>=])[^{}'"`]*\}\}/y;

/** Returns the name between the braces of a marker. */
export function markerName(marker: string): string {
  return marker.slice(2, -2).trim();
}

/** Kind of a token, the characters it starts with, and its pattern. */
type TokenRule = readonly [SqlTokenKind, RegExp, RegExp];

const spaceRule: TokenRule = ['space', /\s/, /\s+/y];
const commentRule: TokenRule = ['comment', /-/, /--[^\r\n]*/y];
const numberRule: TokenRule = ['number', /[\d.]/, /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y];
const signRule: TokenRule = ['sign', /[<:|\-=>!{}]/, /<=>|::|:=|\|\||->|=>|<=|>=|<>|!=|==|\{\{|\}\}/y];

/** Rules of each dialect; the first rule that matches decides. */
const rules: Readonly<Record<SqlDialect, readonly TokenRule[]>> = {
  spark: [
    spaceRule,
    commentRule,
    ['marker', /\{/, markerPattern],
    numberRule,
    ['word', /[a-zA-Z_]/, /[\p{L}_][\p{L}\p{N}_]*/uy],
    signRule,
  ],
  duckdb: [
    spaceRule,
    commentRule,
    numberRule,
    ['word', /[a-zA-Z_]/, /[\p{L}_][\p{L}\p{N}_$]*/uy],
    signRule,
    ['parameter', /:/, /:[A-Za-z_]\w*/y],
  ],
};

/** Rules to try at an ASCII character; at any other character, all rules of the dialect are tried. */
const asciiRules = { spark: indexRules(rules.spark), duckdb: indexRules(rules.duckdb) };

function indexRules(dialectRules: readonly TokenRule[]): readonly (readonly TokenRule[])[] {
  return Array.from({ length: 128 }, (_, code) =>
    dialectRules.filter(([, starts]) => starts.test(String.fromCodePoint(code))),
  );
}

/**
 * Returns the tokens of a text, in order. An unterminated literal or comment extends to the end of the text.
 */
export function tokenize(sql: string, dialect: SqlDialect = 'spark'): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let offset = 0; offset < sql.length;) {
    const token = readToken(sql, offset, dialect);
    const isColon = token.kind === 'parameter' && followsValue(tokens);
    tokens.push(isColon ? { kind: 'sign', text: ':', offset } : token);
    offset += isColon ? 1 : token.text.length;
  }
  return tokens;
}

/** Tells whether a token is neither whitespace nor a comment. */
export function isCode({ kind }: SqlToken): boolean {
  return kind !== 'space' && kind !== 'comment';
}

function readToken(sql: string, offset: number, dialect: SqlDialect): SqlToken {
  const enclosed = readEnclosed(sql, offset, dialect);
  if (enclosed !== undefined) return { kind: enclosed.kind, text: sql.slice(offset, enclosed.end), offset };
  for (const [kind, , pattern] of asciiRules[dialect][sql.charCodeAt(offset)] ?? rules[dialect]) {
    pattern.lastIndex = offset;
    const [text] = pattern.exec(sql) ?? [];
    if (text !== undefined) return { kind, text, offset };
  }
  return { kind: 'sign', text: String.fromCodePoint(sql.codePointAt(offset) ?? 0), offset };
}

/**
 * Tells whether a colon after these tokens belongs to a slice or a struct key: it follows a value without
 * whitespace. In `x[:n]` the colon belongs to a slice, in `[:a, :b]` it starts a parameter.
 */
function followsValue(tokens: readonly SqlToken[]): boolean {
  const last = tokens.at(-1);
  const token = last?.text === '[' ? tokens.at(-2) : last;
  if (token === undefined || !isCode(token)) return false;
  return token.kind !== 'sign' || /[)\]}]$/.test(token.text);
}

interface EnclosedToken {
  readonly kind: SqlTokenKind;
  /** Offset of the next token. */
  readonly end: number;
}

/** Reads a token with an opening and a closing delimiter; undefined when none starts at the offset. */
function readEnclosed(sql: string, offset: number, dialect: SqlDialect): EnclosedToken | undefined {
  const isSpark = dialect === 'spark';
  switch (sql[offset]) {
    case '/':
      return sql[offset + 1] === '*' ? { kind: 'comment', end: findCommentEnd(sql, offset) } : undefined;
    case "'":
      return { kind: 'text', end: findQuoteEnd(sql, offset, isSpark) };
    case '"':
      return { kind: isSpark ? 'text' : 'quoted-name', end: findQuoteEnd(sql, offset, isSpark) };
    case '`':
      return { kind: 'quoted-name', end: findQuoteEnd(sql, offset, false) };
    case '$':
      return readDollarQuoted(sql, offset);
    default:
      return readPrefixedText(sql, offset, isSpark);
  }
}

/** Reads a raw literal `r'…'` or `r"…"` (spark), or a literal with escapes `E'…'` (duckdb). */
function readPrefixedText(sql: string, offset: number, isSpark: boolean): EnclosedToken | undefined {
  const prefix = sql[offset]?.toLowerCase();
  if (prefix !== (isSpark ? 'r' : 'e')) return undefined;
  const quote = sql[offset + 1];
  if (quote !== "'" && !(isSpark && quote === '"')) return undefined;
  const continuesWord = offset > 0 && /[\p{L}\p{N}_]/u.test(sql[offset - 1] ?? '');
  return continuesWord ? undefined : { kind: 'text', end: findQuoteEnd(sql, offset + 1, !isSpark) };
}

/** @param escapes whether a backslash escapes the next character */
function findQuoteEnd(sql: string, start: number, escapes: boolean): number {
  const quote = sql[start];
  for (let offset = start + 1; offset < sql.length; offset += 1) {
    if (escapes && sql[offset] === '\\') offset += 1;
    else if (sql[offset] === quote) {
      // A doubled quote is part of the text.
      if (sql[offset + 1] !== quote) return offset + 1;
      offset += 1;
    }
  }
  return sql.length;
}

function findCommentEnd(sql: string, start: number): number {
  let depth = 0;
  for (let offset = start; offset < sql.length; offset += 1) {
    if (sql.startsWith('/*', offset)) depth += 1;
    else if (sql.startsWith('*/', offset)) depth -= 1;
    else continue;
    offset += 1;
    if (depth === 0) return offset + 1;
  }
  return sql.length;
}

const dollarTag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

function readDollarQuoted(sql: string, offset: number): EnclosedToken | undefined {
  dollarTag.lastIndex = offset;
  const [tag] = dollarTag.exec(sql) ?? [];
  if (tag === undefined) return undefined;
  const end = sql.indexOf(tag, offset + tag.length);
  return { kind: 'text', end: end < 0 ? sql.length : end + tag.length };
}
