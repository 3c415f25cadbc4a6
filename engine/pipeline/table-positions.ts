/** Finds the places of a query at which a table is named. */
import { isKeywordItem, isSymbol, type SqlItem } from '../sql/sql-items.ts';

export function isTableKeyword(item: SqlItem | undefined): boolean {
  return isKeywordItem(item, 'from') || isKeywordItem(item, 'join');
}

/** Keywords that end the list of tables after FROM. */
const clauseKeywords = new Set([
  'select',
  'where',
  'group',
  'having',
  'order',
  'limit',
  'qualify',
  'window',
  'on',
  'union',
  'intersect',
  'except',
  'returning',
]);

/** Returns the indices at which a table may start: after FROM, JOIN, and a comma between two tables. */
export function findTablePositions(items: readonly SqlItem[]): Set<number> {
  const positions = new Set<number>();
  const inFrom = [false];
  for (const [index, item] of items.entries()) {
    if (isSymbol(item, '(')) inFrom.push(false);
    else if (isSymbol(item, ')')) inFrom.pop();
    else if (isTableKeyword(item)) inFrom[inFrom.length - 1] = true;
    else if (item.kind === 'word' && clauseKeywords.has(item.value.toLowerCase()))
      inFrom[inFrom.length - 1] = false;
    if (isTableKeyword(item) || (isSymbol(item, ',') && inFrom.at(-1) === true)) positions.add(index + 1);
  }
  return positions;
}

/** Returns the number of names, separated by dots, that start at an index. */
export function countNameParts(items: readonly SqlItem[], start: number): number {
  let parts = 0;
  for (let index = start; items[index]?.kind === 'word' || items[index]?.kind === 'name'; index += 2) {
    parts += 1;
    if (!isSymbol(items[index + 1], '.')) break;
  }
  return parts;
}
