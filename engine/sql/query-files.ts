/** Finds the files that a query names. */
import { canonicalUri } from '../validation/aliases.ts';
import { readers } from './read-files.ts';
import { findClosingBracket, isKeywordItem, isSymbol, splitArguments, type SqlItem } from './sql-items.ts';

/** `read_files`, and the functions of DuckDB whose first argument is a file, a pattern, or a list of them. */
const fileFunctions = /^(?:read_(?:files|csv|json|ndjson|parquet|text|blob)\w*|sniff_csv|parquet_\w+|glob)$/i;

/** Tells whether a text is a path of managed_fs, also under a deprecated name. */
export function isManagedUri(text: string): boolean {
  return canonicalUri(text).startsWith('managed_fs:');
}

function isManagedText({ kind, value }: SqlItem): boolean {
  return kind === 'text' && isManagedUri(value);
}

/**
 * Returns the indices of the items that name a file where a file is expected; a text elsewhere is a value.
 * @param isFile returns whether an item at such a place names a file
 * @param keywords keywords, in lower case, after which a file may stand
 */
export function findFileItems(
  items: readonly SqlItem[],
  isFile: (item: SqlItem) => boolean = isManagedText,
  keywords: readonly string[] = ['from', 'join'],
): number[] {
  const found = new Set<number>();
  const addFile = (index: number): void => {
    const item = items[index];
    if (item !== undefined && isFile(item)) found.add(index);
  };
  for (const [index, item] of items.entries()) {
    if (keywords.some((keyword) => isKeywordItem(item, keyword))) addFile(index + 1);
    if (item.kind !== 'word' || !fileFunctions.test(item.value) || !isSymbol(items[index + 1], '(')) continue;
    const close = findClosingBracket(items, index + 1) ?? items.length;
    const [[start, end] = [0, 0]] = splitArguments(items, index + 1, close);
    for (let argument = start; argument < end; argument += 1) addFile(argument);
  }
  return [...found].toSorted((left, right) => left - right);
}

/** File named by its format, such as csv.`managed_fs:/x`. */
export interface FormatPath {
  /** Function of DuckDB that reads the format. */
  readonly reader: string;
  readonly path: string;
}

/** Reads csv.`managed_fs:/x`, which takes three items, at an index. */
export function parseFormatPath(items: readonly SqlItem[], index: number): FormatPath | undefined {
  const [format, dot, name] = items.slice(index, index + 3);
  const isPath = format?.kind === 'word' && isSymbol(dot, '.') && name?.token?.text.startsWith('`') === true;
  const reader = isPath ? readers.get(format.value.toLowerCase()) : undefined;
  return reader === undefined || name === undefined ? undefined : { reader, path: name.value };
}

/** Replaces csv.`managed_fs:/x` by `read_csv('managed_fs:/x')`. */
export function rewriteFormatPaths(items: readonly SqlItem[]): SqlItem[] {
  const result: SqlItem[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const named = parseFormatPath(items, index);
    if (named === undefined || !isManagedUri(named.path)) {
      result.push(item);
      continue;
    }
    result.push(
      { kind: 'word', value: named.reader, spaceBefore: true },
      { kind: 'sign', value: '(', spaceBefore: false },
      { kind: 'text', value: named.path, spaceBefore: false },
      { kind: 'sign', value: ')', spaceBefore: false },
    );
    index += 2;
  }
  return result;
}
