/** Rewrites a parameter that stands where SQL expects a value. */
import { isKeywordIn, nextTokenIndex, previousTokenIndex } from '../sql/token-search.ts';
import type { SqlToken } from '../sql/tokenizer.ts';
import { concatExpressions, quoteLiteral, type ResolveParameter } from './query-markers.ts';
import { removeTokens, replaceTokens, type QueryRewrite } from './query-rewrite.ts';

const typedLiterals = new Set(['date', 'timestamp', 'timestamp_ntz', 'timestamp_ltz']);
const intervalWord = new Set(['interval']);

/** Replaces a token by a value; a type or unit next to it becomes a cast. */
export function rewriteValue(
  draft: QueryRewrite,
  index: number,
  value: string,
  resolve: ResolveParameter,
): void {
  const { tokens } = draft;
  const before = previousTokenIndex(tokens, index);
  const word = tokens[before];
  // After one of these words, a marker in code may follow a column of that name.
  if (
    isKeywordIn(word, typedLiterals) &&
    tokens[index]?.kind === 'text' &&
    tokens[before - 1]?.text !== '.'
  ) {
    return replaceWithCast(draft, before, index, `CAST(${value} AS ${word?.text.toUpperCase() ?? ''})`);
  }
  if (isKeywordIn(word, intervalWord)) return rewriteInterval(draft, before, index, value, resolve);
  if (tokens[index]?.kind === 'marker' && endsValue(word)) {
    draft.notes.push(
      `${value} stands where SQL expects a keyword or an operator, which a parameter cannot be`,
    );
  }
  if (value.startsWith('array_join('))
    draft.notes.push(`a list of values is used outside of IN; its values are joined into one text, ${value}`);
  replaceTokens(draft, index, index + 1, value);
}

/** Keywords that a value may follow. Any other word is a name, which an operator follows. */
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

/** Tells whether a token ends a value, so that only an operator or keyword can follow. */
function endsValue(token: SqlToken | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'word') return !valuePrecedingKeywords.has(token.text.toLowerCase());
  return token.kind !== 'sign' || token.text === ')';
}

/** Unit -> unit that a cast supports, and the number of them. */
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
 * Replaces `INTERVAL {{ n }} DAYS` by a cast of the number, and an interval with its unit in the text by a
 * cast of the text.
 */
function rewriteInterval(
  draft: QueryRewrite,
  interval: number,
  index: number,
  value: string,
  resolve: ResolveParameter,
): void {
  const { tokens } = draft;
  const next = nextTokenIndex(tokens, index);
  const unit =
    tokens[next]?.kind === 'word' ? units.get(tokens[next].text.toLowerCase().replace(/s$/, '')) : undefined;
  const named =
    tokens[index]?.kind === 'marker' && tokens[next]?.kind === 'marker'
      ? concatExpressions(['', tokens[next].text, ''], quoteLiteral, resolve)
      : undefined;
  if (named !== undefined) {
    removeTokens(draft, index + 1, next + 1);
    return replaceWithCast(draft, interval, index, `CAST(concat(${value}, ' ', ${named}) AS INTERVAL)`);
  }
  if (unit === undefined) return replaceWithCast(draft, interval, index, `CAST(${value} AS INTERVAL)`);
  const [name, times] = unit;
  const number = times === 1 ? value : `${value} * ${times}`;
  removeTokens(draft, index + 1, next + 1);
  replaceWithCast(draft, interval, index, `CAST(${number} AS INTERVAL ${name})`);
}

/** Replaces a value and the word before it by a cast. */
function replaceWithCast(draft: QueryRewrite, word: number, index: number, text: string): void {
  removeTokens(draft, word, index);
  replaceTokens(draft, index, index + 1, text);
}
