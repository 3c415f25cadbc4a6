/** Finds the datasets that a query reads, in the syntax tree of DuckDB. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { FlowQuery } from '../../engine/pipeline/flow-query.ts';
import { streamSchema } from '../../engine/pipeline/flow-streams.ts';
import { datasetKeyOf } from '../../engine/pipeline/definition.ts';
import type { LinkedQuery } from '../../engine/pipeline/pipeline-graph.ts';
import { invalidAt } from '../../engine/pipeline/source-location.ts';

type AstNode = Readonly<Record<string, unknown>>;

/** @throws ServiceError for text that is not one SELECT, and for tables of other catalogs */
export async function linkQuery(connection: DuckDBConnection, query: FlowQuery): Promise<LinkedQuery> {
  const result = await connection.runAndReadAll(
    'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)',
    [query.sql((uri) => [uri])],
  );
  const tree = JSON.parse(String(result.getRowsJson()[0]?.[0])) as AstNode;
  if (tree['error'] === true) {
    const near = /at or near "(.*?)"/.exec(String(tree['error_message']))?.[1];
    throw invalidAt(query.locationOf(near ?? ''), `The query is invalid: ${String(tree['error_message'])}`);
  }
  const reads = new Set<string>();
  collectTables(tree, new Set(), (table) => {
    const schema = table['schema_name'];
    if (schema === streamSchema) return;
    const name = String(table['table_name']);
    if (schema !== undefined && schema !== 'main') {
      const whole = [table['catalog_name'], schema, name].filter((part) => part !== undefined).join('.');
      throw invalidAt(
        query.locationOf(name),
        `${whole} is not a dataset of this pipeline; queries can only read its datasets and files.`,
      );
    }
    reads.add(datasetKeyOf(name));
  });
  const streams = query.streams
    .filter(({ kind }) => kind === 'dataset')
    .map(({ name }) => datasetKeyOf(name));
  return { query, reads: [...reads], streams: [...new Set(streams)] };
}

/** Calls `found` for every table of the tree that is not a common table expression. */
function collectTables(node: unknown, hidden: ReadonlySet<string>, found: (table: AstNode) => void): void {
  if (Array.isArray(node)) return node.forEach((child) => collectTables(child, hidden, found));
  if (typeof node !== 'object' || node === null) return;
  const tree = node as AstNode;
  if (
    tree['type'] === 'BASE_TABLE' &&
    (tree['schema_name'] !== undefined || !hidden.has(datasetKeyOf(String(tree['table_name']))))
  )
    found(tree);
  let inside = hidden;
  for (const { key, value } of listCtes(tree)) {
    const isRecursive = JSON.stringify(value).includes('"RECURSIVE_CTE_NODE"');
    collectTables(value, isRecursive ? new Set([...inside, key]) : inside, found);
    inside = new Set([...inside, key]);
  }
  for (const [field, child] of Object.entries(tree))
    if (field !== 'cte_map') collectTables(child, inside, found);
}

function listCtes({ cte_map: map }: AstNode): { readonly key: string; readonly value: unknown }[] {
  const entries =
    typeof map === 'object' && map !== null && 'map' in map && Array.isArray(map.map) ? map.map : [];
  return entries.map((entry: AstNode) => ({
    key: datasetKeyOf(String(entry['key'])),
    value: entry['value'],
  }));
}
