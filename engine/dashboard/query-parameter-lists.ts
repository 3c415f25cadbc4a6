/**
 * `IN ({{ list }})` becomes a test of the list: the one place where a parameter of many values stands in SQL.
 */
import { markersIn, quotedIn, type Reference, type Resolve } from './query-markers.ts';
import type { Token } from '../sql/tokens.ts';

/** A query while it is rewritten: for each token what stands in its place, and what is put before it. */
export interface Draft {
  readonly tokens: readonly Token[];
  /** undefined: the token stays as it is. */
  readonly instead: (string | undefined)[];
  readonly before: string[];
  /** What could not be carried over exactly. */
  readonly notes: string[];
}

/** Words after which an expression begins, so that nothing before it binds closer. */
const beginnings = new Set([
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
const longestList = 1_000;

/** Rewrites every IN list that holds a parameter of many values. */
export function rewriteLists(draft: Draft, resolve: Resolve): void {
  const pairs = bracketPairs(draft.tokens);
  for (const [place, token] of draft.tokens.entries()) {
    if (!isWord(token, 'in')) continue;
    const open = nextOf(draft.tokens, place);
    const close = pairs.get(open);
    if (draft.tokens[open]?.text !== '(' || close === undefined || close - open > longestList) continue;
    rewriteList(draft, { place, open, close, pairs }, resolve);
  }
}

/** For each bracket that has one the place of its other. */
function bracketPairs(tokens: readonly Token[]): ReadonlyMap<number, number> {
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
interface ListPlace {
  readonly place: number;
  readonly open: number;
  readonly close: number;
  readonly pairs: ReadonlyMap<number, number>;
}

function rewriteList(draft: Draft, { place, open, close, pairs }: ListPlace, resolve: Resolve): void {
  const { tokens } = draft;
  const items = itemsBetween(tokens, open, close).map((item) => ({
    item,
    list: listIn(tokens, item, resolve),
  }));
  const [only, ...others] = items.flatMap(({ list }) => (list === undefined ? [] : [list]));
  if (only === undefined) return;
  const plain = items.filter(({ list }) => list === undefined).map(({ item }) => textOf(tokens, item).trim());
  const negated = isWord(tokens[previousOf(tokens, place)], 'not') ? previousOf(tokens, place) : undefined;
  const operand = operandBefore(tokens, negated ?? place, pairs);
  const end = previousOf(tokens, negated ?? place) + 1;
  const hasComment = tokens.slice(end, close).some(({ kind }) => kind === 'comment');
  // Markers among the other entries are rewritten where they stand, which must not be taken away.
  const simple =
    others.length === 0 &&
    items.every(
      ({ item, list }) =>
        list !== undefined || item.every((index) => markersIn(tokens[index] ?? nothing).length === 0),
    );
  if (operand === undefined || hasComment || !simple) return explode(draft, items);
  const values = plain.length === 0 ? only.text : `array_union(array(${plain.join(', ')}), ${only.text})`;
  const guarded = plain.length === 0 && negated === undefined && only.parameter.list?.emptyByDefault === true;
  draft.before[operand] =
    `${guarded ? `(size(${only.text}) = 0 OR ` : negated === undefined ? '' : 'NOT '}array_contains(${values}, `;
  for (let index = end; index < close; index += 1) draft.instead[index] = '';
  draft.instead[close] = guarded ? '))' : ')';
}

/** Where no test can be put around the left side, the list becomes rows of a query. */
function explode(
  draft: Draft,
  items: readonly { readonly item: readonly number[]; readonly list: Reference | undefined }[],
): void {
  const alone = items.length === 1;
  for (const { item, list } of items) {
    const place = item.find((index) => markersIn(draft.tokens[index] ?? nothing).length > 0);
    if (list === undefined || place === undefined) continue;
    draft.instead[place] = alone ? `SELECT explode(${list.text})` : `(SELECT explode(${list.text}))`;
    if (!alone)
      draft.notes.push(
        `the list of values ${list.parameter.name} stands in IN beside other values; look at it before you use it`,
      );
    else if (list.parameter.list?.emptyByDefault === true)
      draft.notes.push(`nothing is found while the list of values ${list.parameter.name} is empty`);
  }
}

/** The list parameter that an entry consists of, with quotes or without; undefined for every other entry. */
function listIn(tokens: readonly Token[], item: readonly number[], resolve: Resolve): Reference | undefined {
  const [token, ...more] = item.map((index) => tokens[index] ?? nothing).filter(isSignificant);
  if (token === undefined || more.length > 0) return undefined;
  const [name, ...others] = markersIn(token);
  if (name === undefined || others.length > 0) return undefined;
  if (
    token.kind !== 'marker' &&
    quotedIn(token)?.inside.some((piece, index) => index % 2 === 0 && piece.trim() !== '') !== false
  )
    return undefined;
  const reference = resolve(name);
  return reference?.parameter.list === undefined ? undefined : reference;
}

/** Indices of the tokens of each entry of a list, brackets within it kept together. */
function itemsBetween(tokens: readonly Token[], open: number, close: number): number[][] {
  const items: number[][] = [[]];
  let depth = 0;
  for (let index = open + 1; index < close; index += 1) {
    const { text } = tokens[index] ?? nothing;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (text === ',' && depth === 0) items.push([]);
    else items.at(-1)?.push(index);
  }
  return items;
}

/** Where the left side of IN begins: a name, a call or brackets, with nothing before it that binds closer. */
function operandBefore(
  tokens: readonly Token[],
  place: number,
  pairs: ReadonlyMap<number, number>,
): number | undefined {
  let start = previousOf(tokens, place);
  if (tokens[start]?.text === ')') {
    const open = pairs.get(start);
    if (open === undefined) return undefined;
    // A name that ends right there is that of a function.
    start = isName(tokens[open - 1]) && !isWordOf(tokens[open - 1], beginnings) ? open - 1 : open;
  } else if (!isName(tokens[start]) || isWordOf(tokens[start], beginnings)) return undefined;
  while (tokens[start - 1]?.text === '.' && isName(tokens[start - 2])) start -= 2;
  const before = tokens[previousOf(tokens, start)];
  const begins =
    before === undefined ||
    before.text === '(' ||
    before.text === ',' ||
    before.text === ';' ||
    isWordOf(before, beginnings);
  return begins ? start : undefined;
}

function textOf(tokens: readonly Token[], indices: readonly number[]): string {
  return indices.map((index) => tokens[index]?.text ?? '').join('');
}

const nothing: Token = { kind: 'space', text: '' };

export function isSignificant({ kind }: Token): boolean {
  return kind !== 'space' && kind !== 'comment';
}

/** Index of the nearest token before that is neither blank nor comment; -1 when there is none. */
export function previousOf(tokens: readonly Token[], place: number): number {
  let index = place - 1;
  while (index >= 0 && !isSignificant(tokens[index] ?? nothing)) index -= 1;
  return index;
}

/**
 * Index of the nearest token behind that is neither blank nor comment; the number of tokens when there is
 * none.
 */
export function nextOf(tokens: readonly Token[], place: number): number {
  let index = place + 1;
  while (index < tokens.length && !isSignificant(tokens[index] ?? nothing)) index += 1;
  return index;
}

/** Whether a token is this keyword, given in small letters. */
export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word;
}

/** Whether a token is one of these keywords, given in small letters. */
export function isWordOf(token: Token | undefined, words: ReadonlySet<string>): boolean {
  return token?.kind === 'word' && words.has(token.text.toLowerCase());
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted-name';
}
