/** A cluster: its state and size, and its Spark applications. */
import type { Cluster, SparkApplicationList } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { ClusterState } from '../cluster/cluster-state.tsx';
import { SparkApplicationView } from '../cluster/spark-application-view.tsx';
import { DescriptionList } from '../parts/description-list.tsx';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { Timestamp } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';

const refreshIntervalMs = 3_000;

export function ClusterPage({ clusterId }: { readonly clusterId: string }) {
  const fields = { cluster_id: clusterId };
  const { data, error, refetch } = useApiQuery<Cluster>('2.1/clusters/get', fields, {
    refetchInterval: refreshIntervalMs,
  });
  const spark = useApiQuery<SparkApplicationList>('2.1/clusters/list-spark-applications', fields, {
    refetchInterval: refreshIntervalMs,
  });
  useTitle(data?.cluster_name ?? clusterId);
  if (error !== null && data === undefined)
    return <ErrorMessage error={error} action="load the cluster" retry={refetch} />;
  if (data === undefined) return <Loading what="cluster" />;
  const workers =
    data.autoscale === undefined
      ? data.num_workers
      : `${data.num_workers} (${data.autoscale.min_workers} to ${data.autoscale.max_workers})`;
  return (
    <>
      <h1>
        {data.cluster_name === '' ? 'Cluster' : data.cluster_name} <ClusterState state={data.state} />
      </h1>
      <DescriptionList
        facts={[
          ['Id', <code key="id">{data.cluster_id}</code>],
          ['Message', data.state_message],
          ['Created', <Timestamp key="created" at={data.start_time} />],
          [
            'Terminated',
            data.terminated_time === undefined ? undefined : (
              <Timestamp key="ended" at={data.terminated_time} />
            ),
          ],
          ['Creator', data.creator_user_name],
          ['Workers', workers],
          ['Node type', data.node_type_id],
          ['Runtime', data.spark_version],
          ['Reason', data.termination_reason?.code],
        ]}
      />
      <h2>Spark</h2>
      {spark.error !== null && (
        <ErrorMessage error={spark.error} action="load the Spark applications" retry={spark.refetch} />
      )}
      {spark.data === undefined && spark.error === null && <Loading what="Spark applications" />}
      {spark.data?.applications.length === 0 && (
        <p className="empty">No program has used Spark on this cluster.</p>
      )}
      {spark.data?.applications.map((application) => (
        <SparkApplicationView key={application.application_id} application={application} />
      ))}
    </>
  );
}
