/** GET clusters/list-spark-applications. */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { maskOfVariables, maskTexts } from '../../engine/run/masking.ts';
import { stringMap } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { ClusterId } from '../views/cluster-view.ts';
import { SparkApplicationDocument, toSparkApplicationView } from '../views/spark-view.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';

const Variables = stringMap('spark_env_vars of the cluster.');

/**
 * Lists the Spark applications of a cluster, with executors, progress and the address of Spark's own pages.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export function listSparkApplicationsOperation(
  ports: ClusterAccessPorts & Pick<ClusterPorts, 'sparkApplications' | 'sparkPageTickets' | 'workspaceInfo'>,
): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/list-spark-applications',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List the Spark applications of a cluster',
    description:
      'Lists the newest 50 Spark applications of a cluster, newest first: that of its shared driver, and those of tasks with a driver of their own. Ended applications are listed as long as the files of the cluster and its runs are kept. A cluster without Spark has none.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({
      applications: Type.Array(SparkApplicationDocument, { description: 'The applications.' }),
    }),
    async handle({ cluster_id: clusterId }, context) {
      const cluster = await getPermittedCluster(ports, clusterId, context, 'CAN_ATTACH_TO');
      const applications = await ports.sparkApplications.list(clusterId);
      const given = cluster.spec['spark_env_vars'];
      const mask = maskOfVariables(Check(Variables, given) ? [given] : []);
      return {
        applications: applications.map((one) => ({
          ...maskTexts(mask, toSparkApplicationView(one, undefined)),
          ...(one.hasPages && {
            pages_url: `${ports.workspaceInfo.publicUrl()}/spark-pages/${ports.sparkPageTickets.issue({ clusterId, applicationId: one.application.applicationId })}/`,
          }),
        })),
      };
    },
  });
}
