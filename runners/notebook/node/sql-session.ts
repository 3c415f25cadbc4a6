/** Session of a SQL notebook: DuckDB in this process, restricted to managed_fs and the working directory. */
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

/** Memory limit of the database; larger data spills to files of the attempt. */
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

/** Restricts DuckDB to some directories. The allowed directories must be set before access is disabled. */
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

/** Defines functions that dashboard queries support and DuckDB lacks. */
async function defineFunctions(connection: DuckDBConnection): Promise<void> {
  const known = await connection.runAndReadAll('SELECT DISTINCT function_name FROM duckdb_functions()');
  const names = new Set(known.getRows().map(([name]) => String(name)));
  for (const macro of duckdbMacros)
    if (!names.has(macro.slice(0, macro.indexOf('(')))) await connection.run(`CREATE MACRO ${macro}`);
}

/** Pattern of a message -> hint for the user. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:Permission|Missing Extension|Extension Autoloading) Error/,
    'A SQL notebook can access files of managed_fs (managed_fs:/dir/file.csv) and of its working directory, and has no network access.',
  ],
  [
    /Unexpected prepared parameter/,
    "DuckDB supports no parameters in this statement. Use a variable: SET VARIABLE x = :x, then getvariable('x').",
  ],
  [/^Invalid Input Error: Values were not provided/, 'Write a parameter of the run as :name.'],
  [/^Out of Memory Error/, 'Read fewer columns, or aggregate earlier.'],
];

/** Converts an error of DuckDB: parameters as `:name`, and managed_fs instead of its local directory. */
function toStatementError(error: string, { values }: PreparedSql, root: string): CellError {
  const named = [...values.keys()].reduce((text, name) => text.replaceAll(`$${name}`, `:${name}`), error);
  const message = named.replaceAll(`${root}/`, 'managed_fs:/').trim();
  const hint = hints.find(([pattern]) => pattern.test(message))?.[1];
  return new CellError(
    message.split('\n')[0] ?? message,
    hint === undefined ? message : `${message}\n\n${hint}`,
  );
}

/** Adds the line and the statement to an error. */
function addCellLocation(
  error: unknown,
  position: number,
  source: string,
  { line, tokens }: SqlStatement,
): CellError {
  const { summary, trace } = error instanceof CellError ? error : new CellError(messageOf(error));
  const errorLine = Number(/^LINE (\d+):/m.exec(trace)?.[1] ?? line);
  const lines = tokens
    .map(({ text }) => text)
    .join('')
    .split('\n').length;
  const excerpt = source
    .split('\n')
    .slice(line - 1, line - 1 + Math.min(lines, excerptLinesMax))
    .map(
      (text, index) =>
        `${line + index === errorLine ? '>' : ' '} ${String(line + index).padStart(3)} | ${text}`,
    );
  const omitted = lines > excerptLinesMax ? [`      (${lines - excerptLinesMax} more lines)`] : [];
  const shortSummary =
    summary.length > summaryCharactersMax ? `${summary.slice(0, summaryCharactersMax)} ...` : summary;
  return new CellError(
    `${shortSummary} (cell ${position}, line ${errorLine})`,
    [trace, '', `Cell ${position}, line ${errorLine}, in this statement:`, ...excerpt, ...omitted].join('\n'),
  );
}
