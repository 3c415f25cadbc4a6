/**
 * Rewrites mustache parameters of a classic query, `{{ p }}`, to named ones, `:p`; nothing else of the query
 * changes.
 */
import { truncateText } from '../validation/messages.ts';
import {
  concatExpressions,
  quoteLiteral,
  markerNamesIn,
  splitAtMarkers,
  parseQuoted,
  rangeNameOf,
  createResolver,
  type QueryParameter,
  type ResolveParameter,
} from './query-markers.ts';
import { rewriteLists, type QueryRewrite } from './rewrite-in-lists.ts';
import { isKeywordIn, nextTokenIndex, previousTokenIndex } from '../sql/token-search.ts';
import { findIdentifierPositions } from './identifier-positions.ts';
import type { SqlToken } from '../sql/tokenizer.ts';

export interface ParameterRewriteResult {
  readonly sql: string;
  /** What could not be carried over exactly, as half sentences. */
  readonly notes: readonly string[];
}

/** The names of the parameters in a query, in their order, each once; those in comments do not count. */
export function parameterNames(tokens: readonly SqlToken[]): string[] {
  return [...new Set(tokens.flatMap(markerNamesIn))];
}

/** Whether every marker of a parameter stands in code, none of them within quotes. */
export function isUnquoted(tokens: readonly SqlToken[], name: string): boolean {
  return tokens.every(
    (token) =>
      token.kind === 'marker' ||
      !markerNamesIn(token).some((marker) => marker === name || rangeNameOf(marker) === name),
  );
}

/**
 * Rewrites the markers of a query by the rules of the new format. Markers in comments stay, and so does a
 * marker of a name that is not among the parameters. What was rewritten once stays as it is.
 */
export function rewriteParameters(
  tokens: readonly SqlToken[],
  parameters: readonly QueryParameter[],
): ParameterRewriteResult {
  const draft: QueryRewrite = {
    tokens,
    replacements: tokens.map(() => undefined),
    prefixes: tokens.map(() => ''),
    notes: [],
  };
  if (tokens.some(({ kind, text }) => kind === 'sign' && text === '{{'))
    draft.notes.push(
      'it holds braces {{ }} that are no parameter, such as a section; they are left as they are',
    );
  const resolve = createResolver(parameters);
  rewriteLists(draft, resolve);
  const isIdentifier = findIdentifierPositions(tokens);
  for (let place = 0; place < tokens.length;) place = rewriteAt(draft, place, isIdentifier, resolve);
  return { sql: assembleQuery(draft), notes: draft.notes };
}

/**
 * The query with everything in its place; what was rewritten is parted from a neighbour with which it would
 * grow together.
 */
function assembleQuery({ tokens, replacements, prefixes }: QueryRewrite): string {
  const parts: string[] = [];
  // The end of what stands there already: never the whole of it, which grows.
  let end = '';
  let isNew = false;
  for (const [index, { text }] of tokens.entries()) {
    const replaced = replacements[index];
    const next = `${prefixes[index] ?? ''}${replaced ?? text}`;
    if (next === '') continue;
    const growsLeft = replaced !== undefined && /[\p{L}\p{N}_:]$/u.test(end) && /^[\p{L}\p{N}_:]/u.test(next);
    const growsRight = isNew && /^[\p{L}\p{N}_.'"`$]/u.test(next);
    parts.push(growsLeft || growsRight ? ` ${next}` : next);
    end = next.slice(-2);
    isNew = replaced !== undefined && replaced.trim() !== '';
  }
  return parts.join('');
}

/** Rewrites what begins at a place, and returns where to go on. */
function rewriteAt(
  draft: QueryRewrite,
  place: number,
  isIdentifier: (place: number) => boolean,
  resolve: ResolveParameter,
): number {
  const token = draft.tokens[place];
  if (token === undefined || draft.replacements[place] !== undefined) return place + 1;
  if (token.kind === 'text') {
    if (markerNamesIn(token).length > 0) rewriteText(draft, place, resolve);
    return place + 1;
  }
  const end = findNameEnd(draft, place);
  if (end === place) return place + 1;
  const name = draft.tokens.slice(place, end);
  if (name.some((part) => markerNamesIn(part).length > 0))
    rewriteIdentifier(draft, place, end, isIdentifier(place), resolve);
  return end;
}

/**
 * Where a run of names, dots and markers without a blank between them ends; the place itself when there is
 * none.
 */
function findNameEnd({ tokens, replacements }: QueryRewrite, place: number): number {
  let end = place;
  for (; end < tokens.length && replacements[end] === undefined; end += 1) {
    const { kind, text } = tokens[end] ?? blank;
    const inside = kind === 'number' || text === '.';
    if (kind !== 'word' && kind !== 'quoted-name' && kind !== 'marker' && !(inside && end > place)) break;
  }
  return end;
}

const blank: SqlToken = { kind: 'space', text: ' ', offset: 0 };

/**
 * A marker by itself is a value, or an identifier where only that can stand; with a name around it, it is
 * part of that name.
 */
function rewriteIdentifier(
  draft: QueryRewrite,
  place: number,
  end: number,
  isIdentifier: boolean,
  resolve: ResolveParameter,
): void {
  const { tokens } = draft;
  const [first = blank] = tokens.slice(place, end);
  const quoted = end - place === 1 && first.kind === 'quoted-name' ? parseQuoted(first) : undefined;
  const whole =
    quoted !== undefined && quoted.inside.length === 3 && quoted.inside[0] === '' && quoted.inside[2] === ''
      ? quoted.inside[1]
      : undefined;
  const text =
    whole ??
    tokens
      .slice(place, end)
      .map((token) => token.text)
      .join('');
  const value = concatExpressions(splitAtMarkers(text), quoteLiteral, resolve);
  if (value === undefined) return reportUnknownParameter(draft);
  const alone = end - place === 1 && first.kind === 'marker';
  if (alone && !isIdentifier) return rewriteValue(draft, place, value, resolve);
  replaceTokens(draft, place, end, `IDENTIFIER(${value})`);
}

/**
 * A literal that is nothing but a marker loses its quotes; one with text around the marker becomes a
 * concatenation.
 */
function rewriteText(draft: QueryRewrite, place: number, resolve: ResolveParameter): void {
  const token = draft.tokens[place] ?? blank;
  const quoted = parseQuoted(token);
  if (quoted === undefined) {
    draft.notes.push(
      `a parameter within the text ${truncateText(token.text, 40)} cannot be told from its quotes; it is left as it is`,
    );
    return;
  }
  const { open, close, inside } = quoted;
  const value = concatExpressions(inside, (piece) => `${open}${piece}${close}`, resolve);
  if (value === undefined) return reportUnknownParameter(draft);
  rewriteValue(draft, place, value, resolve);
}

const typedLiterals = new Set(['date', 'timestamp', 'timestamp_ntz', 'timestamp_ltz']);
const intervalWord = new Set(['interval']);

/** A value, with the type or the unit that stood beside the literal made a cast. */
function rewriteValue(draft: QueryRewrite, place: number, value: string, resolve: ResolveParameter): void {
  const { tokens } = draft;
  const before = previousTokenIndex(tokens, place);
  const word = tokens[before];
  // A marker in code behind one of these words could as well follow a column of that name.
  if (
    isKeywordIn(word, typedLiterals) &&
    tokens[place]?.kind === 'text' &&
    tokens[before - 1]?.text !== '.'
  ) {
    return replaceWithCast(draft, before, place, `CAST(${value} AS ${word?.text.toUpperCase() ?? ''})`);
  }
  if (isKeywordIn(word, intervalWord)) return rewriteInterval(draft, before, place, value, resolve);
  if (tokens[place]?.kind === 'marker' && endsValue(word)) {
    draft.notes.push(
      `${value} stands where SQL keywords or operators would be expected, which a parameter cannot be`,
    );
  }
  if (value.startsWith('array_join('))
    draft.notes.push(`a list of values stands outside of IN; its values are joined to one text, ${value}`);
  replaceTokens(draft, place, place + 1, value);
}

/** Words behind which a value stands; any other word is a name, and behind a name stands an operator. */
const valuePrecedingKeywords = new Set([
  'select',
  'distinct',
  'all',
  'where',
  'and',
  'or',
  'not',
  'on',
  'when',
  'then',
  'else',
  'case',
  'having',
  'qualify',
  'in',
  'between',
  'like',
  'ilike',
  'rlike',
  'regexp',
  'similar',
  'to',
  'escape',
  'is',
  'from',
  'by',
  'limit',
  'offset',
  'fetch',
  'first',
  'next',
  'top',
  'values',
  'set',
  'return',
  'div',
  'any',
  'some',
  'date',
  'timestamp',
  'timestamp_ntz',
  'timestamp_ltz',
  'as',
  'of',
  'rows',
  'range',
  'preceding',
  'percent',
  'sample',
  'using',
  'for',
  'with',
  'if',
]);

/** Whether a token ends a value, so that only an operator or keyword could follow. */
function endsValue(token: SqlToken | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'word') return !valuePrecedingKeywords.has(token.text.toLowerCase());
  return token.kind !== 'sign' || token.text === ')';
}

/** Unit -> the unit that a cast knows, and how many of them it is. */
const units: ReadonlyMap<string, readonly [string, number]> = new Map([
  ['second', ['SECOND', 1]],
  ['minute', ['MINUTE', 1]],
  ['hour', ['HOUR', 1]],
  ['day', ['DAY', 1]],
  ['week', ['DAY', 7]],
  ['month', ['MONTH', 1]],
  ['quarter', ['MONTH', 3]],
  ['year', ['YEAR', 1]],
]);

/**
 * `INTERVAL {{ n }} DAYS` becomes a cast of the number, an interval with its unit in the text one of the
 * text.
 */
function rewriteInterval(
  draft: QueryRewrite,
  interval: number,
  place: number,
  value: string,
  resolve: ResolveParameter,
): void {
  const { tokens } = draft;
  const next = nextTokenIndex(tokens, place);
  const unit =
    tokens[next]?.kind === 'word' ? units.get(tokens[next].text.toLowerCase().replace(/s$/, '')) : undefined;
  const named =
    tokens[place]?.kind === 'marker' && tokens[next]?.kind === 'marker'
      ? concatExpressions(['', tokens[next].text, ''], quoteLiteral, resolve)
      : undefined;
  if (named !== undefined) {
    removeTokens(draft, place + 1, next + 1);
    return replaceWithCast(draft, interval, place, `CAST(concat(${value}, ' ', ${named}) AS INTERVAL)`);
  }
  if (unit === undefined) return replaceWithCast(draft, interval, place, `CAST(${value} AS INTERVAL)`);
  const [name, times] = unit;
  const number = times === 1 ? value : `${value} * ${times}`;
  removeTokens(draft, place + 1, next + 1);
  replaceWithCast(draft, interval, place, `CAST(${number} AS INTERVAL ${name})`);
}

/** Puts a cast in the place of a value and of the word before it. */
function replaceWithCast(draft: QueryRewrite, word: number, place: number, text: string): void {
  removeTokens(draft, word, place);
  replaceTokens(draft, place, place + 1, text);
}

/** Takes tokens out; comments stay, with the line end that ends them. */
function removeTokens({ tokens, replacements }: QueryRewrite, place: number, end: number): void {
  for (let index = place; index < end; index += 1) {
    if (tokens[index]?.kind === 'comment') continue;
    replacements[index] = tokens[index - 1]?.text.startsWith('--') === true ? '\n' : '';
  }
}

/** Puts a text in the place of some tokens. */
function replaceTokens({ replacements }: QueryRewrite, place: number, end: number, text: string): void {
  for (let index = place; index < end; index += 1) replacements[index] = '';
  replacements[place] = text;
}

function reportUnknownParameter(draft: QueryRewrite): void {
  draft.notes.push('it names a parameter that is not known; its marker is left as it is');
}
