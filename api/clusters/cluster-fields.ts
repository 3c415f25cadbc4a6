/** Fields of all-purpose clusters in requests. */
import { Type } from 'typebox';
import { NewCluster } from '../../engine/job/cluster.ts';

/** Description of an all-purpose cluster: the fields of a new cluster, a name and an idle time. */
export const allPurposeClusterFields = {
  ...NewCluster.properties,
  cluster_name: Type.Optional(
    Type.String({ maxLength: 200, description: 'Name of the cluster. Default: its id.' }),
  ),
  autotermination_minutes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Minutes without a task after which the cluster terminates. Default: 0, never.',
    }),
  ),
};
