/** Rewrites the parameters `{{ p }}` of a classic query as `:p`; nothing else of the query changes. */
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
import { assembleQuery, replaceTokens, type QueryRewrite } from './query-rewrite.ts';
import { rewriteLists } from './rewrite-in-lists.ts';
import { rewriteValue } from './rewrite-value.ts';
import { findColumnPositions } from './column-positions.ts';
import { findIdentifierPositions } from './identifier-positions.ts';
import { emptyToken } from '../sql/token-search.ts';
import { markerName, type SqlToken } from '../sql/tokenizer.ts';

export interface ParameterRewriteResult {
  readonly sql: string;
  /** Notes on what could not be converted exactly, as half sentences. */
  readonly notes: readonly string[];
}

/** Returns the names of the parameters in a query, in order of appearance, without those in comments. */
export function parameterNames(tokens: readonly SqlToken[]): string[] {
  return [...new Set(tokens.flatMap(markerNamesIn))];
}

/** Tells whether no marker of a parameter is inside quotes. */
export function isUnquoted(tokens: readonly SqlToken[], name: string): boolean {
  return tokens.every(
    (token) =>
      token.kind === 'marker' ||
      !markerNamesIn(token).some((marker) => marker === name || rangeNameOf(marker) === name),
  );
}

/**
 * Rewrites the markers of a query by the rules of the modern format. Markers in comments and markers of
 * unknown parameters stay. Each token is rewritten at most once.
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
      'it contains braces {{ }} that are not a parameter, such as a section; they are unchanged',
    );
  const resolve = createResolver(parameters);
  rewriteLists(draft, resolve);
  const isName = createNameFinder(tokens, resolve, draft.notes);
  for (let index = 0; index < tokens.length;) index = rewriteAt(draft, index, isName, resolve);
  return { sql: assembleQuery(draft), notes: draft.notes };
}

/**
 * Returns a function that tells whether the marker or quoted name at an index is the name of a table or column.
 * A marker that is one anywhere in the query is one wherever it may be one.
 */
function createNameFinder(
  tokens: readonly SqlToken[],
  resolve: ResolveParameter,
  notes: string[],
): (index: number) => boolean {
  const isIdentifier = findIdentifierPositions(tokens);
  const columnPosition = findColumnPositions(tokens);
  const reference = (index: number) => {
    const token = tokens[index];
    return token?.kind === 'marker' ? resolve(markerName(token.text)) : undefined;
  };
  const names = new Set(
    tokens.flatMap((_, index) =>
      isIdentifier(index) || columnPosition(index) === 'name' ? (reference(index)?.text ?? []) : [],
    ),
  );
  return (index) => {
    const found = reference(index);
    if (found === undefined) return isIdentifier(index);
    const { parameter, text } = found;
    const position = columnPosition(index);
    if (parameter.isText === false) {
      if (isIdentifier(index))
        notes.push(`${text} stands where SQL expects a name, which a number or date cannot be`);
      return false;
    }
    if (isIdentifier(index) || (position !== undefined && names.has(text))) return true;
    if (position === 'unclear')
      notes.push(
        `${text} stands alone in the list of columns, where it is a text; write IDENTIFIER(${text}) if it names a column`,
      );
    return position === 'name';
  };
}

/** Rewrites what starts at an index, and returns the index at which to continue. */
function rewriteAt(
  draft: QueryRewrite,
  index: number,
  isIdentifier: (index: number) => boolean,
  resolve: ResolveParameter,
): number {
  const token = draft.tokens[index];
  if (token === undefined || draft.replacements[index] !== undefined) return index + 1;
  if (token.kind === 'text') {
    if (markerNamesIn(token).length > 0) rewriteText(draft, index, resolve);
    return index + 1;
  }
  const end = findNameEnd(draft, index);
  if (end === index) return index + 1;
  const name = draft.tokens.slice(index, end);
  if (name.some((part) => markerNamesIn(part).length > 0))
    rewriteIdentifier(draft, index, end, isIdentifier(index), resolve);
  return end;
}

/** Returns the end of a sequence of names, dots and markers without spaces; the start when there is none. */
function findNameEnd({ tokens, replacements }: QueryRewrite, index: number): number {
  let end = index;
  for (; end < tokens.length && replacements[end] === undefined; end += 1) {
    const { kind, text } = tokens[end] ?? emptyToken;
    const continuesName = kind === 'number' || text === '.';
    if (kind !== 'word' && kind !== 'quoted-name' && kind !== 'marker' && !(continuesName && end > index))
      break;
  }
  return end;
}

/**
 * Rewrites a marker by itself as a value, or as an identifier where only an identifier is possible. A marker
 * within a name is part of the name.
 */
function rewriteIdentifier(
  draft: QueryRewrite,
  index: number,
  end: number,
  isIdentifier: boolean,
  resolve: ResolveParameter,
): void {
  const { tokens } = draft;
  const [first = emptyToken] = tokens.slice(index, end);
  const quoted = end - index === 1 && first.kind === 'quoted-name' ? parseQuoted(first) : undefined;
  const whole =
    quoted !== undefined && quoted.inside.length === 3 && quoted.inside[0] === '' && quoted.inside[2] === ''
      ? quoted.inside[1]
      : undefined;
  const text =
    whole ??
    tokens
      .slice(index, end)
      .map((token) => token.text)
      .join('');
  const value = concatExpressions(splitAtMarkers(text), quoteLiteral, resolve);
  if (value === undefined) return reportUnknownParameter(draft);
  const isAlone = end - index === 1 && first.kind === 'marker';
  if (isAlone && !isIdentifier) return rewriteValue(draft, index, value, resolve);
  replaceTokens(draft, index, end, `IDENTIFIER(${value})`);
}

/** Rewrites a literal: one marker alone loses its quotes, text around a marker makes a concatenation. */
function rewriteText(draft: QueryRewrite, index: number, resolve: ResolveParameter): void {
  const token = draft.tokens[index] ?? emptyToken;
  const quoted = parseQuoted(token);
  if (quoted === undefined) {
    draft.notes.push(
      `a parameter in the text ${truncateText(token.text, 40)} cannot be separated from its quotes; it is unchanged`,
    );
    return;
  }
  const { open, close, inside } = quoted;
  const value = concatExpressions(inside, (piece) => `${open}${piece}${close}`, resolve);
  if (value === undefined) return reportUnknownParameter(draft);
  rewriteValue(draft, index, value, resolve);
}

function reportUnknownParameter(draft: QueryRewrite): void {
  draft.notes.push('it names an unknown parameter; its marker is unchanged');
}
