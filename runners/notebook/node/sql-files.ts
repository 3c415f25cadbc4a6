/**
 * Files of managed_fs in the statements of a SQL notebook: where they are named, and where they are on this
 * machine.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalUri } from '../../../engine/validation/aliases.ts';
import { CellError } from './driver-protocol.ts';
import { isCode, type SqlToken } from './sql-tokens.ts';

/** Functions whose arguments name files. */
const fileFunctions = /^(?:read_(?:csv|json|ndjson|parquet|text|blob)\w*|sniff_csv|parquet_\w+|glob)$/i;

/** Words behind which a text is a file. */
const fileKeywords = new Set(['from', 'join', 'to']);

/** How a format is called in front of a path in backticks -> its function. */
const formatReaders: ReadonlyMap<string, string> = new Map([
  ['csv', 'read_csv'],
  ['json', 'read_json'],
  ['parquet', 'read_parquet'],
  ['text', 'read_text'],
]);

/** Indices of the tokens that stand where a file is expected: texts and parameters elsewhere are values. */
export function findFileTokens(tokens: readonly SqlToken[]): ReadonlySet<number> {
  const places = new Set<number>();
  const open: boolean[] = [];
  let before: SqlToken | undefined;
  for (const [index, token] of tokens.entries()) {
    if (!isCode(token)) continue;
    const behindWord = before?.kind === 'word' && fileKeywords.has(before.text.toLowerCase());
    if ((token.kind === 'text' || token.kind === 'parameter') && (behindWord || open.at(-1) === true))
      places.add(index);
    if (token.text === '(') open.push(before?.kind === 'word' && fileFunctions.test(before.text));
    if (token.text === ')') open.pop();
    before = token;
  }
  return places;
}

/** csv.`managed_fs:/x.csv` at a place of the tokens: the function that reads it, and the path. */
export function parseFormatPath(
  tokens: readonly SqlToken[],
  place: number,
): { readonly reader: string; readonly path: string } | undefined {
  const [format, dot, name] = tokens.slice(place, place + 3);
  const reader = format?.kind === 'word' ? formatReaders.get(format.text.toLowerCase()) : undefined;
  if (reader === undefined || dot?.text !== '.' || name?.kind !== 'backtick') return undefined;
  return { reader, path: name.text.slice(1, -1).replaceAll('``', '`') };
}

/**
 * Where a file is on this machine; what is no path of managed_fs is itself.
 * @param root real directory of managed_fs
 * @param write whether the file is to be made: missing folders above it are
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
