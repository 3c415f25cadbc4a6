/** Builds the dependency graph of the datasets of a pipeline, checks it, and orders the datasets. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { nearestName } from '../validation/nearest-name.ts';
import {
  datasetKeyOf,
  type PipelineDefinition,
  type FlowDefinition,
  type TableDefinition,
  type ViewDefinition,
} from './definition.ts';
import type { FlowQuery } from './flow-query.ts';
import { formatLocation, invalidAt, type SourceLocation } from './source-location.ts';

/** Query with the datasets that it names. */
export interface LinkedQuery {
  readonly query: FlowQuery;
  /** Keys of the datasets that it reads completely. */
  readonly reads: readonly string[];
  /** Keys of the datasets that it reads as streams. */
  readonly streams: readonly string[];
}

export interface LinkedFlow extends Omit<FlowDefinition, 'query'>, LinkedQuery {}
export interface LinkedView extends Omit<ViewDefinition, 'query'>, LinkedQuery {}
/** Table with its flows, in the order of the files. */
export interface LinkedTable extends TableDefinition {
  readonly flows: readonly LinkedFlow[];
}

/** Consistent pipeline. */
export interface PipelineGraph {
  /** In topological order: each after those that it reads. */
  readonly tables: readonly LinkedTable[];
  /** In topological order: each after those that it reads. */
  readonly views: readonly LinkedView[];
}

/** @throws ServiceError for duplicate names, and for flows and tables without one another */
export function checkNames({ tables, views, flows }: PipelineDefinition): void {
  checkUniqueNames([...tables, ...views], 'dataset');
  checkUniqueNames(flows, 'flow');
  const kindOf = new Map(tables.map((table) => [datasetKeyOf(table.name), table.kind]));
  for (const { name, target, location } of flows) {
    const kind = kindOf.get(datasetKeyOf(target));
    if (kind === undefined)
      throw invalidAt(
        location,
        `the flow ${name} writes into ${target}, which is not a table of this pipeline${formatSuggestion(
          target,
          tables.map((table) => table.name),
        )}`,
      );
    if (kind === 'MATERIALIZED_VIEW' && datasetKeyOf(name) !== datasetKeyOf(target))
      throw invalidAt(
        location,
        `the flow ${name} writes into ${target}, which is a materialized view; flows go into streaming tables.`,
      );
  }
  for (const { name, location } of tables) {
    if (!flows.some(({ target }) => datasetKeyOf(target) === datasetKeyOf(name)))
      throw invalidAt(
        location,
        `no flow writes into the streaming table ${name}; give it a query with AS, or add CREATE FLOW ... AS INSERT INTO ${name}.`,
      );
  }
}

function checkUniqueNames(
  named: readonly { readonly name: string; readonly location: SourceLocation }[],
  what: string,
): void {
  const first = new Map<string, SourceLocation>();
  for (const { name, location } of named) {
    const earlier = first.get(datasetKeyOf(name));
    if (earlier !== undefined)
      throw invalidAt(
        location,
        `the ${what} ${name} is defined twice; the other definition is in ${formatLocation(earlier)}.`,
      );
    first.set(datasetKeyOf(name), location);
  }
}

function formatSuggestion(name: string, known: readonly string[]): string {
  return known.length === 0 ? '.' : `; did you mean ${nearestName(name, known)}?`;
}

/**
 * Builds the graph of a definition.
 * @param link returns the query of a flow or view with the datasets that it names
 * @throws ServiceError for unknown datasets, streams of other datasets than streams, and cycles
 */
export function buildGraph(
  definition: PipelineDefinition,
  link: (definition: FlowDefinition | ViewDefinition) => LinkedQuery,
): PipelineGraph {
  const views = definition.views.map((view) => ({ ...view, ...link(view) }));
  const flows = definition.flows.map((flow) => ({ ...flow, ...link(flow) }));
  const tables = definition.tables.map((table) => ({
    ...table,
    flows: flows.filter(({ target }) => datasetKeyOf(target) === datasetKeyOf(table.name)),
  }));
  const names = [...tables, ...views].map(({ name }) => name);
  const known = new Set(names.map(datasetKeyOf));
  for (const { name, query, reads, streams } of [...flows, ...views]) {
    const unknown = [...reads, ...streams].find((key) => !known.has(key));
    if (unknown !== undefined)
      throw invalidAt(
        query.locationOf(unknown),
        `${name} reads ${quote(unknown)}, which is not a dataset of this pipeline${formatSuggestion(
          unknown,
          names.filter((each) => datasetKeyOf(each) !== datasetKeyOf(name)),
        )} Files are read with read_files('managed_fs:/...').`,
      );
  }
  const order = sortTopologically(tables, views);
  const graph = { tables: sortByKeys(tables, order), views: sortByKeys(views, order) };
  checkStreams(graph);
  return graph;
}

function sortByKeys<Named extends { readonly name: string }>(
  named: readonly Named[],
  order: readonly string[],
): Named[] {
  return [...named].sort((a, b) => order.indexOf(datasetKeyOf(a.name)) - order.indexOf(datasetKeyOf(b.name)));
}

/** Returns the keys of all datasets in topological order. @throws ServiceError that names a cycle */
function sortTopologically(tables: readonly LinkedTable[], views: readonly LinkedView[]): string[] {
  const sources = new Map([
    ...tables.map(
      (table) =>
        [datasetKeyOf(table.name), table.flows.flatMap((flow) => [...flow.reads, ...flow.streams])] as const,
    ),
    ...views.map((view) => [datasetKeyOf(view.name), [...view.reads, ...view.streams]] as const),
  ]);
  const order: string[] = [];
  const visit = (key: string, path: readonly string[]): void => {
    if (order.includes(key)) return;
    if (path.includes(key))
      throw invalid(`The datasets form a cycle: ${[...path.slice(path.indexOf(key)), key].join(' reads ')}.`);
    for (const source of sources.get(key) ?? []) visit(source, [...path, key]);
    order.push(key);
  };
  for (const key of sources.keys()) visit(key, []);
  return order;
}

function checkStreams({ tables, views }: PipelineGraph): void {
  const tableOf = new Map(tables.map((table) => [datasetKeyOf(table.name), table]));
  // Views are in topological order.
  const streaming = new Set<string>();
  for (const view of views) if (view.query.streams.length > 0) streaming.add(datasetKeyOf(view.name));
  for (const { name, query, reads, streams } of [...views, ...tables.flatMap(({ flows }) => flows)]) {
    const whole = reads.find((key) => streaming.has(key));
    if (whole !== undefined)
      throw invalidAt(
        query.locationOf(whole),
        `${name} reads the view ${whole}, which reads a stream; write STREAM(${whole}).`,
      );
    const batch = streams.find((key) => !streaming.has(key) && tableOf.get(key)?.kind !== 'STREAMING_TABLE');
    if (batch !== undefined) {
      const kind = tableOf.has(batch)
        ? 'a materialized view, which each update recomputes'
        : 'a view without a stream';
      throw invalidAt(
        query.locationOf(batch),
        `${name} reads STREAM ${batch}, but that is ${kind}; only streaming tables, files and views on them are streams.`,
      );
    }
  }
  for (const { kind, name, flows } of tables) {
    for (const flow of flows) {
      const isStream = flow.query.streams.length > 0;
      if (kind === 'MATERIALIZED_VIEW' && isStream)
        throw invalidAt(
          flow.location,
          `the materialized view ${name} reads a stream; each update recomputes it, so leave STREAM out, or make it a streaming table.`,
        );
      if (kind === 'STREAMING_TABLE' && !isStream)
        throw invalidAt(
          flow.location,
          `the flow ${flow.name} of the streaming table ${name} reads no stream; write STREAM before a source, or make ${name} a materialized view.`,
        );
    }
  }
}
