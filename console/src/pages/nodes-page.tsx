/** List of engine nodes with their load. */
import type { EngineNode, NodeList } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { Timestamp } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';

const refreshIntervalMs = 5_000;

const columns: readonly Column<EngineNode>[] = [
  {
    name: 'Engine',
    show: ({ host, pid }) => (
      <span className="name">
        {host} <span className="number">process {pid}</span>
      </span>
    ),
  },
  { name: 'State', show: ({ state }) => <NodeState state={state} /> },
  { name: 'Active runs', show: (node) => node.active_runs, figures: true },
  { name: 'Running tasks', show: (node) => node.running_tasks, figures: true },
  { name: 'Started', show: (node) => <Timestamp at={node.joined_time} /> },
  { name: 'Lease until', show: (node) => <Timestamp at={node.lease_until} /> },
  { name: 'Id', show: (node) => <code>{node.node_id}</code> },
];

export function NodesPage() {
  useTitle('Nodes');
  const { data, error, refetch } = useApiQuery<NodeList>(
    '2.0/nodes',
    {},
    { refetchInterval: refreshIntervalMs },
  );
  return (
    <>
      <h1>Nodes</h1>
      <p className="lead">
        The engines that share this database. When the lease of an engine expires, the others take over its
        runs.
      </p>
      {error !== null && <ErrorMessage error={error} action="load the nodes" retry={refetch} />}
      {data === undefined && error === null && <Loading what="nodes" />}
      {data !== undefined && (
        <DataTable label="Nodes" columns={columns} rows={data.nodes} keyOf={(node) => node.node_id} />
      )}
    </>
  );
}

function NodeState({ state }: { readonly state: string }) {
  const alive = state === 'ALIVE';
  return (
    <span className={`badge ${alive ? 'good' : 'bad'}`} title={state}>
      <span aria-hidden="true">{alive ? '✓' : '✕'}</span> {alive ? 'Alive' : 'Lease expired'}
    </span>
  );
}
