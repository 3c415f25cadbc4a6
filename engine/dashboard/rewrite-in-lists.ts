/**
 * `IN ({{ list }})` becomes a test of the list: the one place where a parameter of many values stands in SQL.
 */
import {
  markerNamesIn,
  parseQuoted,
  type ParameterReference,
  type ResolveParameter,
} from './query-markers.ts';
import {
  emptyToken,
  isKeyword,
  isKeywordIn,
  nextTokenIndex,
  previousTokenIndex,
} from '../sql/token-search.ts';
import { isCode, type SqlToken } from '../sql/tokenizer.ts';

/** A query while it is rewritten: for each token what stands in its place, and what is put before it. */
export interface QueryRewrite {
  readonly tokens: readonly SqlToken[];
  /** undefined: the token stays as it is. */
  readonly replacements: (string | undefined)[];
  readonly prefixes: string[];
  /** What could not be carried over exactly. */
  readonly notes: string[];
}

/** Words after which an expression begins, so that nothing before it binds closer. */
const expressionStartKeywords = new Set([
  'where',
  'and',
  'or',
  'on',
  'when',
  'having',
  'not',
  'select',
  'then',
  'else',
  'case',
  'qualify',
  'distinct',
  'return',
  'by',
  'if',
  'all',
]);

/** A list of more tokens is left alone: each list is read as a whole, and lists may stand within lists. */
const listTokensMax = 1_000;

/** Rewrites every IN list that holds a parameter of many values. */
export function rewriteLists(draft: QueryRewrite, resolve: ResolveParameter): void {
  const pairs = bracketPairs(draft.tokens);
  for (const [place, token] of draft.tokens.entries()) {
    if (!isKeyword(token, 'in')) continue;
    const open = nextTokenIndex(draft.tokens, place);
    const close = pairs.get(open);
    if (draft.tokens[open]?.text !== '(' || close === undefined || close - open > listTokensMax) continue;
    rewriteList(draft, { inIndex: place, open, close, pairs }, resolve);
  }
}

/** For each bracket that has one the place of its other. */
function bracketPairs(tokens: readonly SqlToken[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const waiting: number[] = [];
  for (const [index, { text }] of tokens.entries()) {
    if (text === '(') waiting.push(index);
    const open = text === ')' ? waiting.pop() : undefined;
    if (open !== undefined) pairs.set(open, index).set(index, open);
  }
  return pairs;
}

/** Where a list stands: its IN, and its brackets. */
interface InListPosition {
  readonly inIndex: number;
  readonly open: number;
  readonly close: number;
  readonly pairs: ReadonlyMap<number, number>;
}

function rewriteList(
  draft: QueryRewrite,
  { inIndex, open, close, pairs }: InListPosition,
  resolve: ResolveParameter,
): void {
  const { tokens } = draft;
  const items = splitListItems(tokens, open, close).map((item) => ({
    item,
    list: findListParameter(tokens, item, resolve),
  }));
  const [only, ...others] = items.flatMap(({ list }) => (list === undefined ? [] : [list]));
  if (only === undefined) return;
  const plain = items
    .filter(({ list }) => list === undefined)
    .map(({ item }) => joinTokenTexts(tokens, item).trim());
  const negated = isKeyword(tokens[previousTokenIndex(tokens, inIndex)], 'not')
    ? previousTokenIndex(tokens, inIndex)
    : undefined;
  const operand = findOperandStart(tokens, negated ?? inIndex, pairs);
  const end = previousTokenIndex(tokens, negated ?? inIndex) + 1;
  const hasComment = tokens.slice(end, close).some(({ kind }) => kind === 'comment');
  // Markers among the other entries are rewritten where they stand, which must not be taken away.
  const simple =
    others.length === 0 &&
    items.every(
      ({ item, list }) =>
        list !== undefined || item.every((index) => markerNamesIn(tokens[index] ?? emptyToken).length === 0),
    );
  if (operand === undefined || hasComment || !simple) return rewriteAsExplode(draft, items);
  const values = plain.length === 0 ? only.text : `array_union(array(${plain.join(', ')}), ${only.text})`;
  const guarded = plain.length === 0 && negated === undefined && only.parameter.list?.emptyByDefault === true;
  draft.prefixes[operand] =
    `${guarded ? `(size(${only.text}) = 0 OR ` : negated === undefined ? '' : 'NOT '}array_contains(${values}, `;
  for (let index = end; index < close; index += 1) draft.replacements[index] = '';
  draft.replacements[close] = guarded ? '))' : ')';
}

/** Where no test can be put around the left side, the list becomes rows of a query. */
function rewriteAsExplode(
  draft: QueryRewrite,
  items: readonly { readonly item: readonly number[]; readonly list: ParameterReference | undefined }[],
): void {
  const alone = items.length === 1;
  for (const { item, list } of items) {
    const place = item.find((index) => markerNamesIn(draft.tokens[index] ?? emptyToken).length > 0);
    if (list === undefined || place === undefined) continue;
    draft.replacements[place] = alone ? `SELECT explode(${list.text})` : `(SELECT explode(${list.text}))`;
    if (!alone)
      draft.notes.push(
        `the list of values ${list.parameter.name} stands in IN beside other values; look at it before you use it`,
      );
    else if (list.parameter.list?.emptyByDefault === true)
      draft.notes.push(`nothing is found while the list of values ${list.parameter.name} is empty`);
  }
}

/** The list parameter that an entry consists of, with quotes or without; undefined for every other entry. */
function findListParameter(
  tokens: readonly SqlToken[],
  item: readonly number[],
  resolve: ResolveParameter,
): ParameterReference | undefined {
  const [token, ...more] = item.map((index) => tokens[index] ?? emptyToken).filter(isCode);
  if (token === undefined || more.length > 0) return undefined;
  const [name, ...others] = markerNamesIn(token);
  if (name === undefined || others.length > 0) return undefined;
  if (
    token.kind !== 'marker' &&
    parseQuoted(token)?.inside.some((piece, index) => index % 2 === 0 && piece.trim() !== '') !== false
  )
    return undefined;
  const reference = resolve(name);
  return reference?.parameter.list === undefined ? undefined : reference;
}

/** Indices of the tokens of each entry of a list, brackets within it kept together. */
function splitListItems(tokens: readonly SqlToken[], open: number, close: number): number[][] {
  const items: number[][] = [[]];
  let depth = 0;
  for (let index = open + 1; index < close; index += 1) {
    const { text } = tokens[index] ?? emptyToken;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (text === ',' && depth === 0) items.push([]);
    else items.at(-1)?.push(index);
  }
  return items;
}

/** Where the left side of IN begins: a name, a call or brackets, with nothing before it that binds closer. */
function findOperandStart(
  tokens: readonly SqlToken[],
  place: number,
  pairs: ReadonlyMap<number, number>,
): number | undefined {
  let start = previousTokenIndex(tokens, place);
  if (tokens[start]?.text === ')') {
    const open = pairs.get(start);
    if (open === undefined) return undefined;
    // A name that ends right there is that of a function.
    start =
      isName(tokens[open - 1]) && !isKeywordIn(tokens[open - 1], expressionStartKeywords) ? open - 1 : open;
  } else if (!isName(tokens[start]) || isKeywordIn(tokens[start], expressionStartKeywords)) return undefined;
  while (tokens[start - 1]?.text === '.' && isName(tokens[start - 2])) start -= 2;
  const before = tokens[previousTokenIndex(tokens, start)];
  const begins =
    before === undefined ||
    before.text === '(' ||
    before.text === ',' ||
    before.text === ';' ||
    isKeywordIn(before, expressionStartKeywords);
  return begins ? start : undefined;
}

function joinTokenTexts(tokens: readonly SqlToken[], indices: readonly number[]): string {
  return indices.map((index) => tokens[index]?.text ?? '').join('');
}

function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted-name';
}
