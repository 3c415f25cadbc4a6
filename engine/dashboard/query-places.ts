/**
 * Where in a query only the name of a table or column can stand: behind FROM, JOIN and GROUP, ORDER or
 * PARTITION BY.
 */
import { isSignificant } from './query-parameter-lists.ts';
import type { Token } from '../sql/tokens.ts';

/** The brackets that a place is in, and the clause within them. */
interface Level {
  /** Whether the entries of the list that is read are names. */
  names: boolean;
  /** FROM parts the arguments of the function before these brackets. */
  readonly separator: boolean;
}

/** Functions whose arguments FROM parts. */
const fromFunctions = new Set(['extract', 'trim', 'substring', 'substr', 'overlay', 'position']);
const listsByName = new Set(['group', 'order', 'partition', 'cluster', 'distribute', 'sort']);
/** Words that end a list of names. */
const ends = new Set([
  'select',
  'where',
  'having',
  'limit',
  'offset',
  'union',
  'intersect',
  'except',
  'minus',
  'qualify',
  'window',
  'set',
  'values',
  'rows',
  'range',
]);

/** Tells of each place whether an identifier is expected there. */
export function identifierPlaces(tokens: readonly Token[]): (place: number) => boolean {
  const expected = new Set<number>();
  const levels: Level[] = [{ names: false, separator: false }];
  const earlier: Token[] = [];
  let expecting = false;
  for (const [place, token] of tokens.entries()) {
    if (!isSignificant(token)) continue;
    if (expecting && (token.kind === 'marker' || token.kind === 'quoted-name')) expected.add(place);
    expecting = read(token, earlier, levels);
    earlier.push(token);
    if (earlier.length > 2) earlier.shift();
  }
  return (place) => expected.has(place);
}

/** Takes a token in, and tells whether a name is expected behind it. */
function read({ kind, text }: Token, earlier: readonly Token[], levels: Level[]): boolean {
  const level = levels.at(-1) ?? { names: false, separator: false };
  const word = (token: Token | undefined): string => (token?.kind === 'word' ? token.text.toLowerCase() : '');
  const [before, last] = earlier.length < 2 ? [undefined, earlier[0]] : earlier;
  if (text === '(') {
    levels.push({ names: false, separator: fromFunctions.has(word(last)) });
    return false;
  }
  if (text === ')') {
    if (levels.length > 1) levels.pop();
    return false;
  }
  if (text === ',') return level.names;
  if (kind !== 'word') return false;
  const name = text.toLowerCase();
  if (ends.has(name)) level.names = false;
  const isFrom =
    name === 'from' &&
    !level.separator &&
    !(word(last) === 'distinct' && ['is', 'not'].includes(word(before)));
  const isList = name === 'by' && listsByName.has(word(last));
  if (!isFrom && !isList && name !== 'join') return false;
  level.names = true;
  return true;
}
