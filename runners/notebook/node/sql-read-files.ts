/** `read_files(…, format => 'csv')` in SQL notebooks, as the function that DuckDB has for the format. */
import { readerOptions, readers } from '../../../engine/sql/query-files.ts';
import { CellError } from './driver-protocol.ts';
import { isCode, type SqlToken } from './sql-tokens.ts';

export function replaceReadFiles(tokens: readonly SqlToken[]): SqlToken[] {
  const result = [...tokens];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'word' || token.text.toLowerCase() !== 'read_files') continue;
    const places = findArguments(tokens, index);
    const named = places.filter(
      (place) => tokens[place]?.kind === 'word' && tokenTextAt(tokens, nextCodeToken(tokens, place)) === '=>',
    );
    const format = named.find((place) => tokenTextAt(tokens, place) === 'format');
    const value = format === undefined ? undefined : nextCodeToken(tokens, nextCodeToken(tokens, format));
    result[index] = {
      kind: 'word',
      text: readerOf(
        value === undefined ? undefined : unquote(tokens[value]),
        unquote(tokens[places[0] ?? -1]),
      ),
    };
    for (const place of named)
      if (place !== format) result[place] = { kind: 'word', text: optionOf(tokenTextAt(tokens, place)) };
    // The comma before it goes as well.
    if (format !== undefined && value !== undefined) {
      const comma = tokens.slice(0, format).findLastIndex(isCode);
      for (let place = comma; place <= value; place += 1)
        result[place] = { kind: 'space', text: (tokens[place]?.text ?? '').replaceAll(/[^\n]/g, '') };
    }
  }
  return result;
}

/** Where the arguments of a call begin. @param name where its name stands */
function findArguments(tokens: readonly SqlToken[], name: number): number[] {
  const places: number[] = [];
  let depth = 0;
  for (let place = nextCodeToken(tokens, name); place < tokens.length; place = nextCodeToken(tokens, place)) {
    const sign = tokenTextAt(tokens, place);
    if (sign === '(' || sign === '[') depth += 1;
    if (sign === ')' || sign === ']') depth -= 1;
    if (depth === 0) break;
    if (depth === 1 && (sign === '(' || sign === ',')) places.push(nextCodeToken(tokens, place));
  }
  return places;
}

function readerOf(format: string | undefined, file: string): string {
  const chosen = format ?? /\.([a-z]+)$/.exec(file.toLowerCase().replace(/\.gz$/, ''))?.[1] ?? '';
  const reader = Object.hasOwn(readers, chosen) ? readers[chosen] : undefined;
  if (reader !== undefined) return reader;
  throw new CellError(
    `read_files reads the format ${JSON.stringify(chosen)}; it must be one of ${Object.keys(readers).join(', ')}, such as format => 'csv'.`,
  );
}

/** The name of an option in DuckDB; one that is not known is left to DuckDB. */
function optionOf(name: string): string {
  return (Object.hasOwn(readerOptions, name) ? readerOptions[name] : undefined) ?? name;
}

function nextCodeToken(tokens: readonly SqlToken[], place: number): number {
  const found = tokens.findIndex((token, index) => index > place && isCode(token));
  return found === -1 ? tokens.length : found;
}

function tokenTextAt(tokens: readonly SqlToken[], place: number): string {
  return tokens[place]?.text.toLowerCase() ?? '';
}

function unquote(token: SqlToken | undefined): string {
  return token?.kind === 'text' ? token.text.slice(1, -1).toLowerCase() : '';
}
