/**
 * A statement of a SQL notebook as DuckDB takes it: parameters as prepared values, files of managed_fs where
 * they are.
 */
import { CellError } from './driver-protocol.ts';
import { findFileTokens, resolveManagedPath, parseFormatPath } from './sql-files.ts';
import { replaceReadFiles } from './sql-read-files.ts';
import { isCode, type SqlStatement, type SqlToken } from './sql-tokens.ts';

export interface PreparedSql {
  /** On the lines on which it stands in its cell: what DuckDB says of a line is true of the cell. */
  readonly sql: string;
  /** Name of a parameter in `sql` -> its value. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * @param parameters what the run was given
 * @param root real directory of managed_fs
 * @param remedy what to do about a parameter that is not given
 * @throws CellError for a parameter that the run was not given
 */
export function prepareSql(
  statement: SqlStatement,
  parameters: Readonly<Record<string, string>>,
  root: string,
  remedy = defaultHint,
): PreparedSql {
  const valueOf = (parameter: SqlToken): string => requireParameter(parameters, parameter, remedy);
  const tokens = replaceReadFiles(statement.tokens);
  const places = findFileTokens(tokens);
  const values = new Map<string, string>();
  const parts: string[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) continue;
    const file = places.has(index);
    const named = parseFormatPath(tokens, index);
    const identifier = parseIdentifierCall(tokens, index);
    if (named !== undefined) {
      parts.push(`${named.reader}(${toSqlLiteral(resolveManagedPath(named.path, root, false))})`);
      index += 2;
    } else if (identifier !== undefined) {
      parts.push(valueOf(identifier.parameter).split('.').map(quoteIdentifier).join('.'));
      index = identifier.end;
    } else if (token.kind === 'parameter') {
      const value = valueOf(token);
      parts.push(
        `$${bindValue(values, token.text.slice(1), file ? resolveManagedPath(value, root, isWriteTarget(tokens, index)) : value)}`,
      );
    } else if (token.kind === 'backtick') {
      parts.push(quoteIdentifier(token.text.slice(1, -1).replaceAll('``', '`')));
    } else if (token.kind === 'text' && file && token.text.startsWith("'")) {
      parts.push(
        toSqlLiteral(
          resolveManagedPath(
            token.text.slice(1, -1).replaceAll("''", "'"),
            root,
            isWriteTarget(tokens, index),
          ),
        ),
      );
    } else parts.push(token.text);
  }
  return { sql: '\n'.repeat(statement.line - 1) + parts.join(''), values };
}

const defaultHint =
  "Give it in base_parameters or notebook_params, or declare it in a cell before: CREATE WIDGET TEXT <name> DEFAULT ''.";

function requireParameter(
  parameters: Readonly<Record<string, string>>,
  { text }: SqlToken,
  remedy: string,
): string {
  const name = text.slice(1);
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (value !== undefined) return value;
  const given = Object.keys(parameters).toSorted().join(', ');
  throw new CellError(
    `The statement has the parameter :${name}, which the run was not given (it was given: ${given || 'none'}). ${remedy.replace('<name>', name)}`,
  );
}

/**
 * The name under which a value is bound. DuckDB does not tell capitals from small letters: what differs gets
 * a name of its own.
 */
function bindValue(values: Map<string, string>, name: string, value: string): string {
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? name.toLowerCase() : `${name.toLowerCase()}_${count}`;
    const known = values.get(tried);
    if (known !== undefined && known !== value) continue;
    values.set(tried, value);
    return tried;
  }
}

/** `IDENTIFIER(:name)` at a place of the tokens: a name that the run gives. */
function parseIdentifierCall(
  tokens: readonly SqlToken[],
  place: number,
): { readonly parameter: SqlToken; readonly end: number } | undefined {
  if (tokens[place]?.kind !== 'word' || tokens[place].text.toLowerCase() !== 'identifier') return undefined;
  const code = [...tokens.entries()]
    .slice(place + 1)
    .filter(([, token]) => isCode(token))
    .slice(0, 3);
  const [open, parameter, close] = code;
  if (open?.[1].text !== '(' || parameter?.[1].kind !== 'parameter' || close?.[1].text !== ')')
    return undefined;
  return { parameter: parameter[1], end: close[0] };
}

/** Whether a file is written: it stands behind TO. */
function isWriteTarget(tokens: readonly SqlToken[], index: number): boolean {
  return tokens.slice(0, index).findLast(isCode)?.text.toLowerCase() === 'to';
}

function toSqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
