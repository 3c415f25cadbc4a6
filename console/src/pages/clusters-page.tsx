/** List of clusters. */
import type { Cluster, ClusterList } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { ClusterState } from '../cluster/cluster-state.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { Timestamp } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';

const refreshIntervalMs = 5_000;

const columns: readonly Column<Cluster>[] = [
  {
    name: 'Cluster',
    show: ({ cluster_id: id, cluster_name: name }) => (
      <a className="name" href={linkTo.cluster(id)}>
        {name === '' ? id : name}
      </a>
    ),
  },
  { name: 'State', show: ({ state }) => <ClusterState state={state} /> },
  {
    name: 'Created for',
    show: ({ cluster_source: source }) => (source === 'JOB' ? 'a run' : 'all purposes'),
  },
  { name: 'Workers', show: (cluster) => cluster.num_workers, figures: true },
  { name: 'Created', show: (cluster) => <Timestamp at={cluster.start_time} /> },
  { name: 'Id', show: (cluster) => <code>{cluster.cluster_id}</code> },
];

export function ClustersPage({ after }: { readonly after: string | undefined }) {
  useTitle('Clusters');
  const { data, error, refetch } = useApiQuery<ClusterList>(
    '2.1/clusters/list',
    { page_token: after },
    { refetchInterval: refreshIntervalMs, keepPrevious: true },
  );
  const first = after === undefined ? undefined : linkTo.clusters();
  return (
    <>
      <h1>Clusters</h1>
      {error !== null && (
        <ErrorMessage error={error} action="load the clusters" retry={refetch} firstPage={first} />
      )}
      {data === undefined && error === null && <Loading what="clusters" />}
      {data !== undefined && data.clusters.length === 0 && <p className="empty">There are no clusters.</p>}
      {data !== undefined && data.clusters.length > 0 && (
        <DataTable
          label="Clusters"
          columns={columns}
          rows={data.clusters}
          keyOf={(cluster) => cluster.cluster_id}
        />
      )}
      {data !== undefined && (
        <Pager
          next={data.next_page_token === undefined ? undefined : linkTo.clusters(data.next_page_token)}
          first={first}
        />
      )}
    </>
  );
}
