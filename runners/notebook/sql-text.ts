/** Writes the SQL of a notebook's cell anew for DuckDB: parameters, names in backticks, and files of managed_fs. */
import { join } from 'node:path';
import { tokensOf } from '../../engine/dashboard/sql-tokens.ts';
import { filePlaces, rewriteFileCalls } from '../../engine/dashboard/running/query-files.ts';
import { isSign, isWordItem, itemsOf, written, type Item } from '../../engine/dashboard/running/query-items.ts';
import { canonicalUri } from '../../engine/job/aliases.ts';

/**
 * The statements of a cell for DuckDB: `:name` becomes the parameter `$name`, and `managed_fs:/x` where a file stands the
 * path below `directory`, which DuckDB itself lets nothing lead out of.
 */
export function sqlForDuckdb(text: string, directory: string): string {
  const items = rewriteFileCalls(withParameters(itemsOf(tokensOf(text))));
  const places = new Set([...filePlaces(items), ...targetsOfCopy(items)]);
  return written(items.map((item, index) => (places.has(index) ? { ...item, value: join(directory, canonicalUri(item.value).slice('managed_fs:'.length)) } : item)));
}

/** Places of the texts behind TO that name a file of managed_fs. */
function targetsOfCopy(items: readonly Item[]): number[] {
  return items.flatMap((item, index) =>
    item.kind === 'text' && isWordItem(items[index - 1], 'to') && canonicalUri(item.value).startsWith('managed_fs:') ? [index] : []);
}

function withParameters(items: readonly Item[]): Item[] {
  const result: Item[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const [item, next] = [items[index], items[index + 1]];
    if (item === undefined) continue;
    if (isSign(item, ':') && next?.kind === 'word' && !next.spaced && !continuesValue(items, index)) {
      result.push({ kind: 'code', value: `$${next.value}`, spaced: true });
      index += 1;
    } else result.push(item);
  }
  return result;
}

/** Behind a name or bracket without a blank, a colon reaches into JSON or parts a slice. */
function continuesValue(items: readonly Item[], place: number): boolean {
  const before = items[place - 1];
  if (before === undefined || items[place]?.spaced === true) return false;
  return before.kind !== 'sign' || before.value === ')' || before.value === ']' || before.value === ':';
}
