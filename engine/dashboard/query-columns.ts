/** Reads the names of the columns that a query returns from its text. */
import { unquoteName } from '../sql/sql-items.ts';
import { isKeyword, isKeywordIn } from '../sql/token-search.ts';
import { isCode, type SqlToken } from '../sql/tokenizer.ts';

/** Keywords that end the list of columns. */
const clauseKeywords = new Set([
  'from',
  'where',
  'group',
  'order',
  'having',
  'limit',
  'union',
  'intersect',
  'except',
  'minus',
  'window',
  'qualify',
  'lateral',
]);
const modifiers = new Set(['distinct', 'all']);
/** Keywords that end an expression and are not a name. */
const valueKeywords = new Set(['end', 'null', 'true', 'false', 'current_date', 'current_timestamp']);

/**
 * Returns the column names; undefined when a column is unnamed, or when all columns of a table are selected.
 */
export function selectedColumns(query: readonly SqlToken[]): string[] | undefined {
  const items = selectItems(query.filter(isCode));
  const names = items?.map(columnNameOf);
  return names === undefined || names.length === 0 || names.includes(undefined)
    ? undefined
    : names.filter((name) => name !== undefined);
}

/** Returns the tokens of each entry of the outermost list of columns. */
function selectItems(tokens: readonly SqlToken[]): SqlToken[][] | undefined {
  let depth = 0;
  let items: SqlToken[][] | undefined;
  for (const token of tokens) {
    if (token.text === ')') depth -= 1;
    if (items === undefined) {
      if (depth === 0 && isKeyword(token, 'select')) items = [[]];
    } else {
      if (depth === 0 && (isKeywordIn(token, clauseKeywords) || token.text === ';')) break;
      if (depth === 0 && token.text === ',') items.push([]);
      else if (!(items.length === 1 && items[0]?.length === 0 && isKeywordIn(token, modifiers)))
        items.at(-1)?.push(token);
    }
    if (token.text === '(') depth += 1;
  }
  return items;
}

function columnNameOf(item: readonly SqlToken[]): string | undefined {
  const [before, last] = item.length < 2 ? [undefined, item[0]] : item.slice(-2);
  if (last === undefined) return undefined;
  if (last.kind === 'text')
    return isKeyword(before, 'as') && /^'.*'$|^".*"$/s.test(last.text)
      ? plainName(last.text.slice(1, -1))
      : undefined;
  if (last.kind !== 'word' && last.kind !== 'quoted-name') return undefined;
  if (isKeywordIn(last, valueKeywords)) return undefined;
  // After a sign other than a dot or closing bracket, it is part of an expression.
  const partOfExpression = before?.kind === 'sign' && before.text !== '.' && before.text !== ')';
  if (partOfExpression) return undefined;
  return plainName(last.kind === 'word' ? last.text : unquoteName(last.text));
}

function plainName(name: string): string | undefined {
  return name === '' || name.includes('{{') ? undefined : name;
}
