/** `runyard clusters|pipelines|tokens|destinations|deliveries|nodes list`, by a table of the resources. */
import { Type, type Static, type TSchema } from 'typebox';
import { readPages, takeItems, type List } from '../../client/pages.ts';
import { colourOf, formatTime } from '../../output/format-values.ts';
import { printRows, type Column, type OutputOptions } from '../../output/print-result.ts';

interface Resource<Item extends TSchema> {
  readonly list: List<Item>;
  readonly columns: readonly Column<Static<Item>>[];
  /** What is said without any. */
  readonly none: string;
}

export interface ListOptions extends OutputOptions {
  readonly limit: number;
}

const stateColumn = { title: 'STATE', value: (one: { state: string }) => one.state } as const;

const Cluster = Type.Object({
  cluster_id: Type.String(),
  cluster_name: Type.String(),
  state: Type.String(),
  num_workers: Type.Optional(Type.Integer()),
  spark_version: Type.Optional(Type.String()),
  node_type_id: Type.Optional(Type.String()),
});

const Pipeline = Type.Object({
  pipeline_id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  latest_updates: Type.Optional(Type.Array(Type.Object({ state: Type.String() }))),
});

const Token = Type.Object({
  token_id: Type.String(),
  comment: Type.String(),
  creation_time: Type.Integer(),
  expiry_time: Type.Integer(),
  scopes: Type.Array(Type.String()),
});

const Destination = Type.Object({
  id: Type.String(),
  display_name: Type.String(),
  destination_type: Type.Optional(Type.String()),
});

const Delivery = Type.Object({
  id: Type.String(),
  run_id: Type.Optional(Type.Integer()),
  event_type: Type.String(),
  state: Type.String(),
  address: Type.Optional(Type.String()),
  destination_id: Type.Optional(Type.String()),
  creation_time: Type.Integer(),
});

const Node = Type.Object({
  node_id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  state: Type.String(),
  joined_time: Type.Integer(),
  active_runs: Type.Integer(),
  running_tasks: Type.Integer(),
});

function resource<Item extends TSchema>(
  definition: Resource<Item>,
): (options: ListOptions) => Promise<number> {
  return async (options) => {
    const items = await takeItems(readPages(definition.list), options.limit);
    printRows(items, definition.columns, options, definition.none);
    return 0;
  };
}

/** Resource -> the command that lists it. Each resolves with the exit code, and throws CommandError. */
export const listCommands = {
  clusters: resource({
    list: { path: '/clusters/list', field: 'clusters', item: Cluster, pageSize: ['page_size', 100] },
    columns: [
      { title: 'ID', value: (one) => one.cluster_id },
      { title: 'NAME', value: (one) => one.cluster_name },
      { ...stateColumn, colour: (one) => colourOf(one.state) },
      { title: 'WORKERS', value: (one) => String(one.num_workers ?? '-') },
      { title: 'VERSION', value: (one) => one.spark_version ?? '-' },
      { title: 'NODE TYPE', value: (one) => one.node_type_id ?? '-' },
    ],
    none: 'There are no clusters.',
  }),
  pipelines: resource({
    list: { path: '/pipelines', field: 'statuses', item: Pipeline, pageSize: ['max_results', 100] },
    columns: [
      { title: 'ID', value: (one) => one.pipeline_id },
      { title: 'NAME', value: (one) => one.name },
      stateColumn,
      {
        title: 'LAST UPDATE',
        value: (one) => one.latest_updates?.[0]?.state ?? '-',
        colour: (one) => colourOf(one.latest_updates?.[0]?.state ?? ''),
      },
    ],
    none: 'There are no pipelines.',
  }),
  tokens: resource({
    list: { path: '/token/list', field: 'token_infos', item: Token },
    columns: [
      { title: 'ID', value: (one) => one.token_id },
      { title: 'COMMENT', value: (one) => one.comment },
      { title: 'CREATED', value: (one) => formatTime(one.creation_time) },
      { title: 'EXPIRES', value: (one) => (one.expiry_time < 0 ? 'never' : formatTime(one.expiry_time)) },
      { title: 'SCOPES', value: (one) => one.scopes.join(', ') },
    ],
    none: 'You have no tokens.',
  }),
  destinations: resource({
    list: {
      path: '/notification-destinations',
      field: 'results',
      item: Destination,
      pageSize: ['page_size', 1_000],
    },
    columns: [
      { title: 'ID', value: (one) => one.id },
      { title: 'NAME', value: (one) => one.display_name },
      { title: 'TYPE', value: (one) => one.destination_type ?? '-' },
    ],
    none: 'There are no notification destinations.',
  }),
  deliveries: resource({
    list: {
      path: '/notifications/deliveries',
      field: 'deliveries',
      item: Delivery,
      pageSize: ['limit', 1_000],
    },
    columns: [
      { title: 'ID', value: (one) => one.id },
      { title: 'RUN', value: (one) => String(one.run_id ?? '-') },
      { title: 'EVENT', value: (one) => one.event_type },
      { title: 'TO', value: (one) => one.address ?? one.destination_id ?? '-' },
      { title: 'TIME', value: (one) => formatTime(one.creation_time) },
      stateColumn,
    ],
    none: 'Nothing was sent in the last 30 days.',
  }),
  nodes: resource({
    list: { path: '/nodes', field: 'nodes', item: Node },
    columns: [
      { title: 'NODE', value: (one) => one.node_id },
      { title: 'HOST', value: (one) => `${one.host} (pid ${one.pid})` },
      stateColumn,
      { title: 'SINCE', value: (one) => formatTime(one.joined_time) },
      { title: 'RUNS', value: (one) => String(one.active_runs) },
      { title: 'TASKS', value: (one) => String(one.running_tasks) },
    ],
    none: 'There are no engines.',
  }),
} as const;
