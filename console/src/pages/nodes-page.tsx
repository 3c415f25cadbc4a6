/** The engines of this service, as it lists them: whatever fields it gives. */
import { useAnswer } from '../api/queries.ts';
import { textOf } from '../job/task-work.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Instant } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';

const refreshEvery = 5_000;

type Node = Readonly<Record<string, unknown>>;

export function NodesPage() {
  useTitle('Nodes');
  const { data, error, refetch } = useAnswer<{ readonly nodes?: readonly Node[] }>('2.0/nodes', {}, { every: refreshEvery });
  const nodes = data?.nodes ?? [];
  return (
    <>
      <h1>Nodes</h1>
      <p className="lead">Engines that share this service’s database and run its tasks.</p>
      {error !== null && <Failure error={error} what="Reading the nodes" retry={refetch} />}
      {data === undefined && error === null && <Loading what="nodes" />}
      {data !== undefined && nodes.length === 0 && <p className="empty">No node is listed.</p>}
      {nodes.length > 0 && <DataTable label="Nodes" columns={columnsOf(nodes)} rows={nodes} keyOf={(node) => textOf(node['node_id']) || textOf(node)} />}
    </>
  );
}

/** A column for each field that any node has; fields that are named as times are shown as such. */
function columnsOf(nodes: readonly Node[]): Column<Node>[] {
  const names = [...new Set(nodes.flatMap((node) => Object.keys(node)))];
  return names.map((name) => ({
    name: wordsOf(name),
    figures: nodes.every((node) => typeof node[name] === 'number') && !isTime(name),
    show: (node) => {
      const value = node[name];
      return isTime(name) && typeof value === 'number' ? <Instant at={value} /> : textOf(value);
    },
  }));
}

function isTime(name: string): boolean {
  return /(_time|_until|_at)$/.test(name);
}

function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
