/** Parses the files of a pipeline: each statement creates a table, a view or a flow. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { splitStatements } from '../sql/statements.ts';
import { isCode } from '../sql/tokenizer.ts';
import { substituteConfiguration } from './configuration.ts';
import { TokenCursor } from './token-cursor.ts';
import type { PipelineDefinition, FlowDefinition, TableDefinition, ViewDefinition } from './definition.ts';
import { invalidAt, type SourceLocation, type SourceFile } from './source-location.ts';
import { parseTableClauses } from './table-clauses.ts';

interface DefinitionDraft {
  readonly tables: TableDefinition[];
  readonly views: ViewDefinition[];
  readonly flows: FlowDefinition[];
}

/**
 * Parses the files.
 * @param extent `part` when other files define tables too
 * @throws ServiceError with file, line and column of what is not supported
 */
export function parseDefinition(
  files: readonly SourceFile[],
  configuration: Readonly<Record<string, string>>,
  extent: 'whole' | 'part' = 'whole',
): PipelineDefinition {
  const draft: DefinitionDraft = { tables: [], views: [], flows: [] };
  for (const source of files) {
    if (/\.(py|ipynb)$/i.test(source.path))
      throw invalid(
        `${source.path} is a Python definition, which needs Spark; DuckDB runs definitions in SQL (.sql).`,
      );
    const file = substituteConfiguration(source, configuration);
    for (const { tokens } of splitStatements(file.text, 'spark'))
      parseStatement(new TokenCursor(file, tokens.filter(isCode)), draft);
  }
  if (draft.tables.length === 0 && extent === 'whole') {
    const reason =
      files.length === 0
        ? 'its libraries name no file'
        : `its files (${files.map(({ path }) => path).join(', ')}) create none`;
    throw invalid(`The pipeline has no table: ${reason}.`);
  }
  return draft;
}

const statementStarts =
  'CREATE MATERIALIZED VIEW, CREATE STREAMING TABLE, CREATE TEMPORARY VIEW or CREATE FLOW';

function parseStatement(cursor: TokenCursor, draft: DefinitionDraft): void {
  const { location } = cursor;
  if (!cursor.accept('CREATE')) throw cursor.unexpectedToken(statementStarts);
  if (!cursor.accept('OR', 'REFRESH')) cursor.accept('OR', 'REPLACE');
  if (cursor.accept('MATERIALIZED', 'VIEW')) return parseTable(cursor, location, 'MATERIALIZED_VIEW', draft);
  if (cursor.accept('STREAMING', 'TABLE')) return parseTable(cursor, location, 'STREAMING_TABLE', draft);
  if (cursor.accept('TEMPORARY', 'VIEW') || cursor.accept('TEMP', 'VIEW'))
    return parseView(cursor, location, draft);
  if (cursor.accept('FLOW')) return parseFlow(cursor, location, draft);
  if (cursor.isNext('LIVE') || cursor.isNext('STREAMING', 'LIVE'))
    throw cursor.unexpectedToken(
      'MATERIALIZED VIEW or STREAMING TABLE (the older spelling with LIVE is not supported)',
    );
  throw cursor.unexpectedToken(statementStarts.replaceAll('CREATE ', ''));
}

function parseTable(
  cursor: TokenCursor,
  location: SourceLocation,
  kind: TableDefinition['kind'],
  { tables, flows }: DefinitionDraft,
): void {
  cursor.accept('IF', 'NOT', 'EXISTS');
  const name = parseQualifiedName(cursor, 'the name of the table');
  tables.push({ kind, name, location, ...parseTableClauses(cursor) });
  if (cursor.accept('AS'))
    flows.push({ name, target: name, location, byName: true, query: cursor.parseRest('a query') });
  else if (kind === 'MATERIALIZED_VIEW') throw cursor.unexpectedToken('AS and a query');
  else cursor.expectEnd('AS and a query, or a clause such as COMMENT,');
}

function parseView(cursor: TokenCursor, location: SourceLocation, { views }: DefinitionDraft): void {
  cursor.accept('IF', 'NOT', 'EXISTS');
  const name = parseQualifiedName(cursor, 'the name of the view');
  if (cursor.peek()?.text === '(')
    throw invalidAt(
      cursor.location,
      `a temporary view has no columns or constraints of its own; give ${name} those of its query.`,
    );
  if (cursor.accept('COMMENT')) cursor.parseText('a comment in quotes');
  cursor.expect('AS');
  views.push({ kind: 'TEMPORARY_VIEW', name, location, query: cursor.parseRest('a query') });
}

function parseFlow(cursor: TokenCursor, location: SourceLocation, { flows }: DefinitionDraft): void {
  const name = parseQualifiedName(cursor, 'the name of the flow');
  if (cursor.accept('COMMENT')) cursor.parseText('a comment in quotes');
  cursor.expect('AS');
  if (!cursor.accept('INSERT', 'INTO'))
    throw cursor.unexpectedToken('INSERT INTO (other flows are not supported)');
  if (cursor.isNext('ONCE'))
    throw invalidAt(cursor.location, 'INSERT INTO ONCE is not supported; every flow is incremental.');
  const target = parseQualifiedName(cursor, 'the name of a table');
  flows.push({
    name,
    target,
    location,
    byName: cursor.accept('BY', 'NAME'),
    query: cursor.parseRest('a query'),
  });
}

/**
 * Parses the name of a dataset, which is also the name of its directory. Catalog and schema are ignored: a
 * pipeline writes to one directory.
 */
function parseQualifiedName(cursor: TokenCursor, what: string): string {
  const { location } = cursor;
  let name = cursor.parseName(what);
  while (cursor.acceptSymbol('.')) name = cursor.parseName(what);
  if (!/^[\p{L}_][\p{L}\p{N}_]{0,99}$/u.test(name))
    throw invalidAt(
      location,
      `the name ${quote(name)} must have at most 100 letters, digits and underscores, and must not start with a digit.`,
    );
  return name;
}
