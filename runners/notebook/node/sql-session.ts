/**
 * The database of a SQL notebook: DuckDB in this process, shut in to managed_fs and the working directory.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { duckdbMacros } from '../../../engine/sql/duckdb-functions.ts';
import { quoteDuckdbText } from '../../../engine/sql/sql-items.ts';
import { messageOf } from '../../../engine/errors.ts';
import {
  CellError,
  type NotebookDriverInput,
  type NotebookSession,
  type CellOutputWriter,
} from './driver-protocol.ts';
import { prepareSql, type PreparedSql } from './sql-statement.ts';
import { splitStatements, type SqlStatement } from '../../../engine/sql/statements.ts';
import { executeStatement } from './sql-result.ts';
import { parseWidgetStatement } from './sql-widgets.ts';

/** Memory of the database; what needs more goes to files of the attempt. */
const memoryLimit = '1GB';
const summaryCharactersMax = 2_000;
const excerptLinesMax = 60;

/** @param managedFs directory of managed_fs */
export async function openSqlSession(
  order: NotebookDriverInput,
  managedFs: string,
  shown: CellOutputWriter,
): Promise<NotebookSession> {
  mkdirSync(managedFs, { recursive: true });
  mkdirSync(order.temporary, { recursive: true });
  const root = realpathSync(managedFs);
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: memoryLimit });
  const connection = await instance.connect();
  await restrictAccess(connection, [root, realpathSync(process.cwd())], order.temporary);
  const defaults: Record<string, string> = {};

  const runStatement = async (statement: SqlStatement): Promise<void> => {
    const widget = parseWidgetStatement(statement.tokens);
    if (widget?.kind === 'create') defaults[widget.name] = widget.value;
    else if (widget?.kind === 'remove') delete defaults[widget.name];
    else {
      const prepared = prepareSql(statement, { ...defaults, ...order.parameters }, root);
      const output = await executeStatement(connection, prepared).catch((error: unknown) => {
        throw toStatementError(messageOf(error), prepared, root);
      });
      if (output !== undefined) shown.add(output);
    }
  };
  return {
    async run(cell) {
      for (const statement of splitStatements(cell.source, 'duckdb')) {
        try {
          await runStatement(statement);
        } catch (error) {
          throw addCellLocation(error, cell.position, cell.source, statement);
        }
      }
    },
    toCellError: (error) => new CellError(messageOf(error)),
    exitValue: () => undefined,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** The order counts: what is allowed must be said before everything else is shut off. */
export async function restrictAccess(
  connection: DuckDBConnection,
  directories: readonly string[],
  temporary: string,
): Promise<void> {
  await defineFunctions(connection);
  const texts = directories.map((directory) => quoteDuckdbText(`${directory}/`));
  await connection.run(`SET temp_directory=${quoteDuckdbText(temporary)}`);
  await connection.run("SET lambda_syntax='ENABLE_SINGLE_ARROW'").catch(() => undefined);
  await connection.run("SET secret_directory=''").catch(() => undefined);
  await connection.run("SET TimeZone='UTC'").catch(() => undefined);
  await connection.run('SET autoinstall_known_extensions=false');
  await connection.run('SET autoload_known_extensions=false');
  await connection.run(`SET allowed_directories=[${texts.join(', ')}]`);
  await connection.run('SET enable_external_access=false');
  await connection.run('SET lock_configuration=true');
}

/** Functions that queries of dashboards have and DuckDB lacks; what it has means here what it means there. */
async function defineFunctions(connection: DuckDBConnection): Promise<void> {
  const known = await connection.runAndReadAll('SELECT DISTINCT function_name FROM duckdb_functions()');
  const names = new Set(known.getRows().map(([name]) => String(name)));
  for (const macro of duckdbMacros)
    if (!names.has(macro.slice(0, macro.indexOf('(')))) await connection.run(`CREATE MACRO ${macro}`);
}

/** Beginning of a message -> what can be done. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:Permission|Missing Extension|Extension Autoloading) Error/,
    'A SQL notebook reads and writes files of managed_fs (managed_fs:/dir/file.csv) and of its own working directory, and reaches no network.',
  ],
  [
    /Unexpected prepared parameter/,
    "DuckDB takes no parameter in a statement of this kind. Keep it in a variable first: SET VARIABLE x = :x, then write getvariable('x').",
  ],
  [/^Invalid Input Error: Values were not provided/, 'A parameter of the run is written :name.'],
  [/^Out of Memory Error/, 'Read fewer columns, or aggregate earlier.'],
];

/**
 * What DuckDB says, in the words of the cell: its parameters, and managed_fs instead of a directory of this
 * machine.
 */
function toStatementError(said: string, { values }: PreparedSql, root: string): CellError {
  const named = [...values.keys()].reduce((text, name) => text.replaceAll(`$${name}`, `:${name}`), said);
  const message = named.replaceAll(`${root}/`, 'managed_fs:/').trim();
  const hint = hints.find(([pattern]) => pattern.test(message))?.[1];
  return new CellError(
    message.split('\n')[0] ?? message,
    hint === undefined ? message : `${message}\n\n${hint}`,
  );
}

/** Adds where it happened: the line, and the statement with the lines around it. */
function addCellLocation(
  error: unknown,
  position: number,
  source: string,
  { line, tokens }: SqlStatement,
): CellError {
  const { summary, trace } = error instanceof CellError ? error : new CellError(messageOf(error));
  const said = Number(/^LINE (\d+):/m.exec(trace)?.[1] ?? line);
  const lines = tokens
    .map(({ text }) => text)
    .join('')
    .split('\n').length;
  const excerpt = source
    .split('\n')
    .slice(line - 1, line - 1 + Math.min(lines, excerptLinesMax))
    .map(
      (text, index) => `${line + index === said ? '>' : ' '} ${String(line + index).padStart(3)} | ${text}`,
    );
  const more = lines > excerptLinesMax ? [`      (${lines - excerptLinesMax} more lines)`] : [];
  const short =
    summary.length > summaryCharactersMax ? `${summary.slice(0, summaryCharactersMax)} ...` : summary;
  return new CellError(
    `${short} (cell ${position}, line ${said})`,
    [trace, '', `Cell ${position}, line ${said}, in this statement:`, ...excerpt, ...more].join('\n'),
  );
}
