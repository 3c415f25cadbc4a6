/** Selects the tables that an update computes, and those that it resets. */
import { invalid } from '../errors.ts';
import { nearestName } from '../validation/nearest-name.ts';
import { datasetKeyOf } from './definition.ts';
import type { PipelineGraph, LinkedTable } from './pipeline-graph.ts';
import type { Manifest } from './manifest.ts';

/** Request of an update. */
export interface UpdateRequest {
  readonly fullRefresh: boolean;
  readonly fullRefreshSelection: readonly string[];
  readonly refreshSelection: readonly string[];
  readonly validateOnly: boolean;
}

export interface TableSelection {
  /** Tables in the order in which they are computed. */
  readonly tables: readonly LinkedTable[];
  /** Keys of the tables that start over. */
  readonly reset: ReadonlySet<string>;
}

/** @throws ServiceError for a request that contradicts itself */
export function checkUpdateRequest({
  fullRefresh,
  fullRefreshSelection,
  refreshSelection,
}: UpdateRequest): void {
  if (fullRefresh && fullRefreshSelection.length + refreshSelection.length > 0)
    throw invalid(
      'full_refresh and a selection are given; full_refresh means all tables, so only one of them is allowed.',
    );
  const twice = fullRefreshSelection.find((name) =>
    refreshSelection.some((other) => datasetKeyOf(other) === datasetKeyOf(name)),
  );
  if (twice !== undefined)
    throw invalid(
      `${twice} is in full_refresh_selection and in refresh_selection; it is allowed in one of them only.`,
    );
}

/**
 * Selects the tables of a request.
 * @throws ServiceError for unknown names, and for missing sources of a table
 */
export function selectTables(
  graph: PipelineGraph,
  request: UpdateRequest,
  published: Manifest | undefined,
): TableSelection {
  checkUpdateRequest(request);
  const known = graph.tables.map(({ name }) => name);
  const wanted = [...request.refreshSelection, ...request.fullRefreshSelection];
  const unknown = wanted.find((name) => !known.some((other) => datasetKeyOf(other) === datasetKeyOf(name)));
  if (unknown !== undefined)
    throw invalid(
      `The selection names ${unknown}, which is not a table of this pipeline; did you mean ${nearestName(unknown, known)}?`,
    );
  const keys = new Set(wanted.map(datasetKeyOf));
  const tables = graph.tables.filter(({ name }) => keys.size === 0 || keys.has(datasetKeyOf(name)));
  const reset = new Set((request.fullRefresh ? known : request.fullRefreshSelection).map(datasetKeyOf));
  const computed = new Set(tables.map(({ name }) => datasetKeyOf(name)));
  const isAvailable = (key: string): boolean => computed.has(key) || published?.datasets[key] !== undefined;
  for (const table of tables) {
    const before = published?.datasets[datasetKeyOf(table.name)];
    if (before !== undefined && before.kind !== table.kind && !reset.has(datasetKeyOf(table.name))) {
      throw invalid(
        `${table.name} was published as ${before.kind} and is now defined as ${table.kind}; a full refresh of the table replaces the published data.`,
      );
    }
    for (const { key, stream } of sourceTablesOf(graph, table)) {
      if (!isAvailable(key))
        throw invalid(
          `${table.name} reads ${key}, which was never computed and is not selected; select it as well.`,
        );
      if (stream && reset.has(key) && !reset.has(datasetKeyOf(table.name)) && before !== undefined) {
        throw invalid(
          `${table.name} reads the stream of ${key}, which starts over; ${table.name} needs a full refresh in the same update.`,
        );
      }
    }
  }
  return { tables, reset };
}

/** Returns the tables that a table reads, directly or through views. */
function sourceTablesOf(
  graph: PipelineGraph,
  { flows }: Pick<LinkedTable, 'flows'>,
): { readonly key: string; readonly stream: boolean }[] {
  const found: { key: string; stream: boolean }[] = [];
  const visit = (key: string, stream: boolean): void => {
    const view = graph.views.find(({ name }) => datasetKeyOf(name) === key);
    if (view === undefined) found.push({ key, stream });
    view?.reads.forEach((read) => visit(read, false));
    view?.streams.forEach((read) => visit(read, true));
  };
  for (const flow of flows) {
    flow.reads.forEach((key) => visit(key, false));
    flow.streams.forEach((key) => visit(key, true));
  }
  return found;
}
