/** Finds the markers of a query that may stand for the name of a column where SQL also allows a value. */
import { isKeyword, isKeywordIn, nextTokenIndex, previousTokenIndex } from '../sql/token-search.ts';
import { isCode, type SqlToken } from '../sql/tokenizer.ts';

/** `name`: a value makes no sense there. `unclear`: a text or the name of a column. */
export type ColumnPosition = 'name' | 'unclear';

/** Functions that compute with the values of a column; a constant text is no argument of them. */
const aggregates = new Set([
  'sum',
  'avg',
  'mean',
  'median',
  'count',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
]);
const itemStarts = new Set(['select', 'distinct', 'all']);
const itemEnds = new Set(['from', 'as']);
/** Keywords that end the list of columns of a SELECT. */
const clauses = new Set([
  'from',
  'where',
  'group',
  'order',
  'having',
  'limit',
  'union',
  'except',
  'intersect',
]);

/** State of one nesting level of brackets. */
interface Level {
  /** True between SELECT and FROM. */
  inColumns: boolean;
  /** Name before the bracket, in lower case. */
  readonly call: string;
}

/** Returns a function that returns what a marker at an index may stand for; undefined for a value. */
export function findColumnPositions(
  tokens: readonly SqlToken[],
): (index: number) => ColumnPosition | undefined {
  const positions = new Map<number, ColumnPosition>();
  const levels: Level[] = [{ inColumns: false, call: '' }];
  const readsTable = tokens.some((token) => isKeyword(token, 'from'));
  for (const [index, token] of tokens.entries()) {
    if (!isCode(token)) continue;
    const level = levels.at(-1) ?? { inColumns: false, call: '' };
    if (token.kind === 'marker' && readsTable) {
      const position = positionOf(tokens, index, level);
      if (position !== undefined) positions.set(index, position);
    }
    if (token.text === '(') {
      const before = tokens[previousTokenIndex(tokens, index)];
      levels.push({ inColumns: false, call: before?.kind === 'word' ? before.text.toLowerCase() : '' });
    } else if (token.text === ')') {
      if (levels.length > 1) levels.pop();
    } else if (isKeyword(token, 'select')) level.inColumns = true;
    else if (isKeywordIn(token, clauses)) level.inColumns = false;
  }
  return (index) => positions.get(index);
}

function positionOf(
  tokens: readonly SqlToken[],
  index: number,
  { inColumns, call }: Level,
): ColumnPosition | undefined {
  const before = tokens[previousTokenIndex(tokens, index)];
  const after = tokens[nextTokenIndex(tokens, index)];
  const opens = before?.text === '(' || isKeyword(before, 'distinct');
  if (aggregates.has(call) && opens && after?.text === ')') return 'name';
  const starts = before?.text === ',' || isKeywordIn(before, itemStarts);
  const ends = after?.text === ',' || isKeywordIn(after, itemEnds);
  return inColumns && starts && ends ? 'unclear' : undefined;
}
