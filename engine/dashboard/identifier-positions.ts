/**
 * Finds the positions of a query at which only the name of a table or column is possible: after FROM, JOIN,
 * GROUP BY, ORDER BY and PARTITION BY.
 */
import { isCode, type SqlToken } from '../sql/tokenizer.ts';

/** State of one nesting level of brackets. */
interface Level {
  /** True when the entries of the current list are names. */
  expectsNames: boolean;
  /** True when FROM separates the arguments of the function before the brackets. */
  readonly fromIsSeparator: boolean;
}

/** Functions whose arguments FROM separates. */
const fromFunctions = new Set(['extract', 'trim', 'substring', 'substr', 'overlay', 'position']);
const nameListKeywords = new Set(['group', 'order', 'partition', 'cluster', 'distribute', 'sort']);
/** Keywords that end a list of names. */
const listEndKeywords = new Set([
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

/** Returns a function that returns whether an identifier is expected at an index. */
export function findIdentifierPositions(tokens: readonly SqlToken[]): (index: number) => boolean {
  const expected = new Set<number>();
  const levels: Level[] = [{ expectsNames: false, fromIsSeparator: false }];
  const earlier: SqlToken[] = [];
  let expecting = false;
  for (const [index, token] of tokens.entries()) {
    if (!isCode(token)) continue;
    if (expecting && (token.kind === 'marker' || token.kind === 'quoted-name')) expected.add(index);
    expecting = consumeToken(token, earlier, levels);
    earlier.push(token);
    if (earlier.length > 2) earlier.shift();
  }
  return (index) => expected.has(index);
}

/** Updates the levels with a token, and returns whether a name is expected after it. */
function consumeToken({ kind, text }: SqlToken, earlier: readonly SqlToken[], levels: Level[]): boolean {
  const level = levels.at(-1) ?? { expectsNames: false, fromIsSeparator: false };
  const word = (token: SqlToken | undefined): string =>
    token?.kind === 'word' ? token.text.toLowerCase() : '';
  const [before, last] = earlier.length < 2 ? [undefined, earlier[0]] : earlier;
  if (text === '(') {
    levels.push({ expectsNames: false, fromIsSeparator: fromFunctions.has(word(last)) });
    return false;
  }
  if (text === ')') {
    if (levels.length > 1) levels.pop();
    return false;
  }
  if (text === ',') return level.expectsNames;
  if (kind !== 'word') return false;
  const name = text.toLowerCase();
  if (listEndKeywords.has(name)) level.expectsNames = false;
  const isFrom =
    name === 'from' &&
    !level.fromIsSeparator &&
    !(word(last) === 'distinct' && ['is', 'not'].includes(word(before)));
  const isList = name === 'by' && nameListKeywords.has(word(last));
  if (!isFrom && !isList && name !== 'join') return false;
  level.expectsNames = true;
  return true;
}
