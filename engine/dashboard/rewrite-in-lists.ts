/** Rewrites `IN ({{ list }})`, where SQL takes a parameter with several values, as a test of the list. */
import {
  markerNamesIn,
  parseQuoted,
  type ParameterReference,
  type ResolveParameter,
} from './query-markers.ts';
import type { QueryRewrite } from './query-rewrite.ts';
import {
  emptyToken,
  isKeyword,
  isKeywordIn,
  nextTokenIndex,
  previousTokenIndex,
} from '../sql/token-search.ts';
import { isCode, type SqlToken } from '../sql/tokenizer.ts';

/** Keywords after which an expression starts. */
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

/** Longer lists are not rewritten: lists may be nested, and each list is read as a whole. */
const listTokensMax = 1_000;

/** Rewrites every IN list that contains a parameter with several values. */
export function rewriteLists(draft: QueryRewrite, resolve: ResolveParameter): void {
  const pairs = bracketPairs(draft.tokens);
  for (const [index, token] of draft.tokens.entries()) {
    if (!isKeyword(token, 'in')) continue;
    const open = nextTokenIndex(draft.tokens, index);
    const close = pairs.get(open);
    if (draft.tokens[open]?.text !== '(' || close === undefined || close - open > listTokensMax) continue;
    rewriteList(draft, { inIndex: index, open, close, pairs }, resolve);
  }
}

/** Returns the index of the matching bracket for each bracket that has one. */
function bracketPairs(tokens: readonly SqlToken[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const unclosed: number[] = [];
  for (const [index, { text }] of tokens.entries()) {
    if (text === '(') unclosed.push(index);
    const open = text === ')' ? unclosed.pop() : undefined;
    if (open !== undefined) pairs.set(open, index).set(index, open);
  }
  return pairs;
}

/** Position of a list: its IN, and its brackets. */
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
  // Markers in other entries are rewritten in place, so their tokens must stay.
  const isSimple =
    others.length === 0 &&
    items.every(
      ({ item, list }) =>
        list !== undefined || item.every((index) => markerNamesIn(tokens[index] ?? emptyToken).length === 0),
    );
  if (operand === undefined || hasComment || !isSimple) return rewriteAsExplode(draft, items);
  const values = plain.length === 0 ? only.text : `array_union(array(${plain.join(', ')}), ${only.text})`;
  const guarded = plain.length === 0 && negated === undefined && only.parameter.list?.emptyByDefault === true;
  draft.prefixes[operand] =
    `${guarded ? `(size(${only.text}) = 0 OR ` : negated === undefined ? '' : 'NOT '}array_contains(${values}, `;
  for (let index = end; index < close; index += 1) draft.replacements[index] = '';
  draft.replacements[close] = guarded ? '))' : ')';
}

/** Rewrites the list as rows of a query; used where the left side of IN cannot be wrapped. */
function rewriteAsExplode(
  draft: QueryRewrite,
  items: readonly { readonly item: readonly number[]; readonly list: ParameterReference | undefined }[],
): void {
  const isAlone = items.length === 1;
  for (const { item, list } of items) {
    const marker = item.find((index) => markerNamesIn(draft.tokens[index] ?? emptyToken).length > 0);
    if (list === undefined || marker === undefined) continue;
    draft.replacements[marker] = isAlone ? `SELECT explode(${list.text})` : `(SELECT explode(${list.text}))`;
    if (!isAlone)
      draft.notes.push(
        `the list of values ${list.parameter.name} is used in IN with other values; check the query before you use it`,
      );
    else if (list.parameter.list?.emptyByDefault === true)
      draft.notes.push(`the query returns no rows while the list of values ${list.parameter.name} is empty`);
  }
}

/** Returns the list parameter that an entry consists of, quoted or not; undefined for any other entry. */
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

/** Returns the token indices of each entry of a list; nested brackets stay together. */
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

/**
 * Returns the start of the left side of IN: a name, a call or brackets. Undefined when an operator before it
 * binds more tightly.
 */
function findOperandStart(
  tokens: readonly SqlToken[],
  end: number,
  pairs: ReadonlyMap<number, number>,
): number | undefined {
  let start = previousTokenIndex(tokens, end);
  if (tokens[start]?.text === ')') {
    const open = pairs.get(start);
    if (open === undefined) return undefined;
    // A name directly before the bracket is the name of a function.
    start =
      isName(tokens[open - 1]) && !isKeywordIn(tokens[open - 1], expressionStartKeywords) ? open - 1 : open;
  } else if (!isName(tokens[start]) || isKeywordIn(tokens[start], expressionStartKeywords)) return undefined;
  while (tokens[start - 1]?.text === '.' && isName(tokens[start - 2])) start -= 2;
  const before = tokens[previousTokenIndex(tokens, start)];
  const startsOperand =
    before === undefined ||
    before.text === '(' ||
    before.text === ',' ||
    before.text === ';' ||
    isKeywordIn(before, expressionStartKeywords);
  return startsOperand ? start : undefined;
}

function joinTokenTexts(tokens: readonly SqlToken[], indices: readonly number[]): string {
  return indices.map((index) => tokens[index]?.text ?? '').join('');
}

function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted-name';
}
