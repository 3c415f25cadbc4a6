/** Writes the rows of one flow to a Parquet file: applies its expectations and counts their violations. */
import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteDuckdbText } from '../../engine/sql/sql-items.ts';
import { invalid } from '../../engine/errors.ts';
import type { Expectation } from '../../engine/pipeline/definition.ts';
import type { ExpectationCount, FlowProgressDetails } from '../../engine/pipeline/events.ts';
import { parseCondition } from '../../engine/pipeline/flow-query.ts';
import { escapeGlob } from '../../engine/pipeline/glob.ts';
import type { LinkedFlow } from '../../engine/pipeline/pipeline-graph.ts';
import { rowsOf } from './database.ts';
import type { CastQuery } from './cast-query.ts';
import { syncFile } from './versions.ts';

export interface WrittenPart {
  readonly rows: number;
  readonly quality: NonNullable<FlowProgressDetails['data_quality']>;
}

/** Violation of an expectation that fails the update. */
export class ExpectationError extends Error {
  readonly quality: WrittenPart['quality'];
  /** Query that shows the rows. */
  readonly rowsQuery: string;

  constructor(message: string, quality: WrittenPart['quality'], rowsQuery: string) {
    super(message);
    this.quality = quality;
    this.rowsQuery = rowsQuery;
  }
}

/** Returns a boolean column for each expectation; NULL counts as a violation. */
function toExpectationColumns(expectations: readonly Expectation[]): string {
  return expectations
    .map(({ condition }, index) => `, (${parseCondition(condition)}\n) IS TRUE AS "~met ${index}"`)
    .join('');
}

/** Returns the query for the rows with the results of all checks. */
function withExpectationColumns({ sql, columns }: CastQuery, expectations: readonly Expectation[]): string {
  // A nested query: conditions must not see the columns of other checks.
  return columns.length === 0
    ? sql
    : `SELECT *${toExpectationColumns(expectations)} FROM (${sql}\n) AS "~fitted"`;
}

/** Validates the whole query without running it. @throws Error of DuckDB */
export async function checkPartQuery(
  connection: DuckDBConnection,
  query: CastQuery,
  expectations: readonly Expectation[],
): Promise<void> {
  await connection.run(`DESCRIBE ${withExpectationColumns(query, expectations)}`);
}

/**
 * @param path file to write; a temporary file beside it holds the rows with their check results
 * @throws ExpectationError; ServiceError for values that do not fit their column
 */
export async function writePart(
  connection: DuckDBConnection,
  flow: LinkedFlow,
  query: CastQuery,
  expectations: readonly Expectation[],
  path: string,
): Promise<WrittenPart> {
  const { losslessChecks } = query;
  const checks = [
    ...losslessChecks.map((_, index) => `"~lossless ${index}"`),
    ...expectations.map((_, index) => `"~met ${index}"`),
  ];
  if (checks.length === 0) {
    const rows = await copyToParquet(connection, query.sql, path);
    return { rows, quality: { dropped_records: 0, expectations: [] } };
  }
  const draft = `${path}.checked`;
  const total = await copyToParquet(connection, withExpectationColumns(query, expectations), draft);
  const source = `read_parquet(${quoteDuckdbText(escapeGlob(draft))})`;
  const [counts = {}] = await rowsOf(
    connection,
    `SELECT ${checks.map((check, index) => `count(*) FILTER (NOT ${check}) AS c${index}`).join(', ')} FROM ${source}`,
  );
  const failedOf = (index: number): number => Number(counts[`c${index}`]);
  const changed = losslessChecks.find((_, index) => failedOf(index) > 0);
  if (changed !== undefined) {
    throw invalid(
      `Flow ${flow.name}: column ${changed.column} of ${flow.target} is ${changed.to}, and ${failedOf(losslessChecks.indexOf(changed))} new values of type ${changed.from} cannot be converted without loss. Cast it in the query, or refresh ${flow.target} fully.`,
    );
  }
  const counted = expectations.map(({ name }, index): ExpectationCount => {
    const failed = failedOf(losslessChecks.length + index);
    return { name, dataset: flow.target, passed_records: total - failed, failed_records: failed };
  });
  const fatal = expectations.findIndex(
    ({ onViolation }, index) => onViolation === 'FAIL UPDATE' && (counted[index]?.failed_records ?? 0) > 0,
  );
  if (fatal >= 0) {
    const { name, condition } = expectations[fatal] ?? { name: '', condition: { text: '' } };
    throw new ExpectationError(
      `${counted[fatal]?.failed_records ?? 0} of ${total} rows do not meet the expectation ${name} (${condition.text}), which fails the update.`,
      { dropped_records: 0, expectations: counted },
      `SELECT * FROM (${query.sql.trim()}) WHERE NOT (${condition.text})`,
    );
  }
  const dropping = expectations.flatMap(({ onViolation }, index) =>
    onViolation === 'DROP ROW' ? [`"~met ${index}"`] : [],
  );
  const rows = await copyToParquet(
    connection,
    `SELECT * EXCLUDE (${checks.join(', ')}) FROM ${source}${dropping.length === 0 ? '' : ` WHERE ${dropping.join(' AND ')}`}`,
    path,
  );
  await rm(draft);
  return { rows, quality: { dropped_records: total - rows, expectations: counted } };
}

async function copyToParquet(connection: DuckDBConnection, sql: string, path: string): Promise<number> {
  const [row] = await rowsOf(connection, `COPY (${sql}\n) TO ${quoteDuckdbText(path)} (FORMAT parquet)`);
  await syncFile(path);
  return Number(row?.['Count']);
}
