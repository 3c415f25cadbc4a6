/** Casts the rows of a flow to the columns of its table without loss. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteDuckdbName } from '../../engine/sql/sql-items.ts';
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import type { DeclaredColumn } from '../../engine/pipeline/definition.ts';
import type { LinkedFlow } from '../../engine/pipeline/pipeline-graph.ts';
import type { PublishedColumn } from '../../engine/pipeline/manifest.ts';
import { columnsOf } from './database.ts';

/** Target column of a table. Without a type it takes the type of the query. */
export type TargetColumn = Pick<DeclaredColumn, 'name' | 'type'>;

export interface CastQuery {
  readonly sql: string;
  readonly columns: readonly PublishedColumn[];
  /** Columns of the query before the casts. */
  readonly sourceColumns: readonly PublishedColumn[];
  /** For every column with a cast, a condition that the cast is lossless. */
  readonly losslessChecks: readonly {
    readonly column: string;
    readonly condition: string;
    readonly from: string;
    readonly to: string;
  }[];
}

/** Replacements of types that Parquet does not support. */
const parquetTypes: Readonly<Record<string, string>> = { HUGEINT: 'BIGINT', UHUGEINT: 'BIGINT' };

/**
 * @param wanted columns of the table; empty: those of the query
 * @param known columns of the query, if already known
 * @throws ServiceError for incompatible columns
 */
export async function createCastQuery(
  connection: DuckDBConnection,
  flow: LinkedFlow,
  sql: string,
  wanted: readonly TargetColumn[],
  known?: readonly PublishedColumn[],
): Promise<CastQuery> {
  const given = known ?? (await columnsOf(connection, sql));
  const names = given.map(({ name }) => name.toLowerCase());
  const twice = given.find(({ name }, index) => names.indexOf(name.toLowerCase()) !== index);
  if (twice !== undefined)
    throw invalid(
      `Flow ${flow.name}: its query has two columns named ${quote(twice.name)}; rename one with AS.`,
    );
  const targets = wanted.length === 0 ? given : wanted;
  const pairs = flow.byName ? matchByName(flow, given, targets) : matchByPosition(flow, given, targets);
  const columns: PublishedColumn[] = [];
  const lossless: CastQuery['losslessChecks'][number][] = [];
  const parts = pairs.map(({ target, source }) => {
    const type = target.type ?? source?.type ?? 'VARCHAR';
    const to = parquetTypes[type] ?? type;
    columns.push({ name: target.name, type: to });
    const value = source === undefined ? 'NULL' : `source.${quoteDuckdbName(source.name)}`;
    if (source !== undefined && source.type !== to) {
      lossless.push({
        column: target.name,
        from: source.type,
        to,
        condition: `CAST(CAST(${value} AS ${to}) AS ${source.type}) IS NOT DISTINCT FROM ${value}`,
      });
    }
    return source?.type === to
      ? `${value} AS ${quoteDuckdbName(target.name)}`
      : `CAST(${value} AS ${to}) AS ${quoteDuckdbName(target.name)}`;
  });
  return {
    sql: `SELECT ${parts.join(', ')}${lossless.map(({ condition }, index) => `, ${condition} AS "~lossless ${index}"`).join('')} FROM (${sql}\n) AS source`,
    columns,
    sourceColumns: given,
    losslessChecks: lossless,
  };
}

interface ColumnPair {
  readonly target: TargetColumn;
  /** Undefined when the query lacks the column. */
  readonly source: PublishedColumn | undefined;
}

function matchByName(
  { name, target: table }: LinkedFlow,
  given: readonly PublishedColumn[],
  targets: readonly TargetColumn[],
): ColumnPair[] {
  const known = new Map(given.map((column) => [column.name.toLowerCase(), column]));
  const extra = given.find(
    (column) => !targets.some((target) => target.name.toLowerCase() === column.name.toLowerCase()),
  );
  if (extra !== undefined) {
    throw invalid(
      `Flow ${name}: its query has the column ${quote(extra.name)}, which ${table} does not have (${targets.map((target) => target.name).join(', ')}). Remove it, or run a full refresh of ${table} to use the new columns.`,
    );
  }
  return targets.map((target) => ({ target, source: known.get(target.name.toLowerCase()) }));
}

function matchByPosition(
  { name, target: table }: LinkedFlow,
  given: readonly PublishedColumn[],
  targets: readonly TargetColumn[],
): ColumnPair[] {
  if (given.length !== targets.length)
    throw invalid(
      `Flow ${name}: its query has ${given.length} columns, but ${table} has ${targets.length}; write INSERT INTO ${table} BY NAME, or return as many columns.`,
    );
  return targets.map((target, index) => ({ target, source: given[index] }));
}
