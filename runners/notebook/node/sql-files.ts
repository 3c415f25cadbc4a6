/** Finds files of managed_fs in the statements of a SQL notebook, and resolves their paths. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalUri } from '../../../engine/validation/aliases.ts';
import { CellError } from './driver-protocol.ts';
import { isCode, type SqlToken } from './sql-tokens.ts';

/** Functions whose arguments name files. */
const fileFunctions = /^(?:read_(?:csv|json|ndjson|parquet|text|blob)\w*|sniff_csv|parquet_\w+|glob)$/i;

/** Keywords that precede a file name. */
const fileKeywords = new Set(['from', 'join', 'to']);

/** Format before a path in backticks -> the function that reads it. */
const formatReaders: ReadonlyMap<string, string> = new Map([
  ['csv', 'read_csv'],
  ['json', 'read_json'],
  ['parquet', 'read_parquet'],
  ['text', 'read_text'],
]);

/** Returns indices of tokens in file positions. Strings and parameters elsewhere are values. */
export function findFileTokens(tokens: readonly SqlToken[]): ReadonlySet<number> {
  const found = new Set<number>();
  const open: boolean[] = [];
  let previous: SqlToken | undefined;
  for (const [index, token] of tokens.entries()) {
    if (!isCode(token)) continue;
    const followsKeyword = previous?.kind === 'word' && fileKeywords.has(previous.text.toLowerCase());
    if ((token.kind === 'text' || token.kind === 'parameter') && (followsKeyword || open.at(-1) === true))
      found.add(index);
    if (token.text === '(') open.push(previous?.kind === 'word' && fileFunctions.test(previous.text));
    if (token.text === ')') open.pop();
    previous = token;
  }
  return found;
}

/** Parses csv.`managed_fs:/x.csv` at an index of the tokens. */
export function parseFormatPath(
  tokens: readonly SqlToken[],
  index: number,
): { readonly reader: string; readonly path: string } | undefined {
  const [format, dot, name] = tokens.slice(index, index + 3);
  const reader = format?.kind === 'word' ? formatReaders.get(format.text.toLowerCase()) : undefined;
  if (reader === undefined || dot?.text !== '.' || name?.kind !== 'backtick') return undefined;
  return { reader, path: name.text.slice(1, -1).replaceAll('``', '`') };
}

/**
 * Returns the local path of a file; a text that is not a path of managed_fs does not change.
 * @param root real directory of managed_fs
 * @param write true creates missing parent directories
 */
export function resolveManagedPath(text: string, root: string, write: boolean): string {
  const uri = canonicalUri(text);
  if (!uri.startsWith('managed_fs:')) return text;
  const names: string[] = [];
  for (const name of uri.slice('managed_fs:'.length).split('/')) {
    if (name === '..' && names.pop() === undefined)
      throw new CellError(`The path ${JSON.stringify(text)} leads outside managed_fs.`);
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  const path = join(root, ...names);
  if (write) mkdirSync(dirname(path), { recursive: true });
  return path;
}
