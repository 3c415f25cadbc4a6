/** Reads the files of a pipeline: each statement of them creates a table, a view or a flow. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { configured } from './configuration.ts';
import { Cursor, statementsOf } from './cursor.ts';
import type { Definition, FlowDefinition, TableDefinition, ViewDefinition } from './definition.ts';
import { refusedAt, type Place, type SourceFile } from './source-place.ts';
import { readClauses } from './table-clauses.ts';

interface Draft {
  readonly tables: TableDefinition[];
  readonly views: ViewDefinition[];
  readonly flows: FlowDefinition[];
}

/**
 * @throws ServiceError that names file, line and column of what is not understood
 */
export function readDefinition(
  files: readonly SourceFile[],
  configuration: Readonly<Record<string, string>>,
): Definition {
  const draft: Draft = { tables: [], views: [], flows: [] };
  for (const written of files) {
    if (/\.(py|ipynb)$/i.test(written.path))
      throw invalid(
        `${written.path} is a Python definition, which needs pyspark; Runyard runs definitions in SQL (.sql).`,
      );
    const file = configured(written, configuration);
    for (const tokens of statementsOf(file)) readStatement(new Cursor(file, tokens), draft);
  }
  if (draft.tables.length === 0) {
    const named =
      files.length === 0
        ? 'its libraries name no file'
        : `its files (${files.map(({ path }) => path).join(', ')}) create none`;
    throw invalid(`The pipeline has no table: ${named}.`);
  }
  return draft;
}

const beginnings = 'CREATE MATERIALIZED VIEW, CREATE STREAMING TABLE, CREATE TEMPORARY VIEW or CREATE FLOW';

function readStatement(cursor: Cursor, draft: Draft): void {
  const { place } = cursor;
  if (!cursor.takes('CREATE')) throw cursor.refusal(beginnings);
  if (!cursor.takes('OR', 'REFRESH')) cursor.takes('OR', 'REPLACE');
  if (cursor.takes('MATERIALIZED', 'VIEW')) return readTable(cursor, place, 'MATERIALIZED_VIEW', draft);
  if (cursor.takes('STREAMING', 'TABLE')) return readTable(cursor, place, 'STREAMING_TABLE', draft);
  if (cursor.takes('TEMPORARY', 'VIEW') || cursor.takes('TEMP', 'VIEW'))
    return readView(cursor, place, draft);
  if (cursor.takes('FLOW')) return readFlow(cursor, place, draft);
  if (cursor.sees('LIVE') || cursor.sees('STREAMING', 'LIVE'))
    throw cursor.refusal(
      'MATERIALIZED VIEW or STREAMING TABLE (the older spelling with LIVE is not known here)',
    );
  throw cursor.refusal(beginnings.replaceAll('CREATE ', ''));
}

function readTable(
  cursor: Cursor,
  place: Place,
  kind: TableDefinition['kind'],
  { tables, flows }: Draft,
): void {
  cursor.takes('IF', 'NOT', 'EXISTS');
  const name = readName(cursor, 'the name of the table');
  tables.push({ kind, name, place, ...readClauses(cursor) });
  if (cursor.takes('AS'))
    flows.push({ name, target: name, place, byName: true, query: cursor.rest('a query') });
  else if (kind === 'MATERIALIZED_VIEW') throw cursor.refusal('AS and a query');
  else cursor.ends('AS and a query, or a clause such as COMMENT,');
}

function readView(cursor: Cursor, place: Place, { views }: Draft): void {
  cursor.takes('IF', 'NOT', 'EXISTS');
  const name = readName(cursor, 'the name of the view');
  if (cursor.peek()?.text === '(')
    throw refusedAt(
      cursor.place,
      `a temporary view has no columns or constraints of its own; give ${name} those of its query.`,
    );
  if (cursor.takes('COMMENT')) cursor.text('a comment in quotes');
  cursor.expects('AS');
  views.push({ kind: 'TEMPORARY_VIEW', name, place, query: cursor.rest('a query') });
}

function readFlow(cursor: Cursor, place: Place, { flows }: Draft): void {
  const name = readName(cursor, 'the name of the flow');
  if (cursor.takes('COMMENT')) cursor.text('a comment in quotes');
  cursor.expects('AS');
  if (!cursor.takes('INSERT', 'INTO')) throw cursor.refusal('INSERT INTO (other flows are not known here)');
  if (cursor.sees('ONCE'))
    throw refusedAt(cursor.place, 'INSERT INTO ONCE is not known here; every flow is incremental.');
  const target = readName(cursor, 'the name of a table');
  flows.push({ name, target, place, byName: cursor.takes('BY', 'NAME'), query: cursor.rest('a query') });
}

/**
 * Names become names of directories. Those of catalog and schema before it are left out: a pipeline writes
 * into one place.
 */
function readName(cursor: Cursor, what: string): string {
  const { place } = cursor;
  let name = cursor.name(what);
  while (cursor.takesSign('.')) name = cursor.name(what);
  if (!/^[\p{L}_][\p{L}\p{N}_]{0,99}$/u.test(name))
    throw refusedAt(
      place,
      `the name ${quote(name)} must be letters, digits and underscores, at most 100, and begin with no digit.`,
    );
  return name;
}
