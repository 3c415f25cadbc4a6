/** Reads `CREATE WIDGET` and `REMOVE WIDGET` of SQL notebooks: parameters with a default value. */
import { isKeywordItem, toSqlItems } from '../../../engine/sql/sql-items.ts';
import type { SqlToken } from '../../../engine/sql/tokenizer.ts';

export type WidgetStatement =
  | { readonly kind: 'create'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

/** Returns the widget that a statement creates or removes; undefined for any other statement. */
export function parseWidgetStatement(tokens: readonly SqlToken[]): WidgetStatement | undefined {
  const items = toSqlItems(tokens, 'duckdb');
  if (!isKeywordItem(items[1], 'widget')) return undefined;
  if (isKeywordItem(items[0], 'remove')) return { kind: 'remove', name: items[2]?.value ?? '' };
  if (!isKeywordItem(items[0], 'create')) return undefined;
  const keyword = items.findIndex((item) => isKeywordItem(item, 'default'));
  return {
    kind: 'create',
    name: items[3]?.value ?? '',
    value: keyword < 0 ? '' : (items[keyword + 1]?.value ?? ''),
  };
}
