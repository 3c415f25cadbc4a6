/** Cluster in responses. */
import { Type } from 'typebox';
import { actualWorkers, type Cluster, type ShownClusterState } from '../../engine/cluster/cluster.ts';
import { resolveShape, type Inventory } from '../../engine/cluster/inventory.ts';
import { toTerminationReason } from '../../engine/cluster/termination.ts';
import { NewCluster } from '../../engine/job/cluster.ts';
import { renderCluster } from '../../engine/job/render-settings.ts';
import { isSecretName } from '../../engine/validation/secret-names.ts';
import { epochMsSchema } from './time-schemas.ts';

const shownStates = [
  'PENDING',
  'RUNNING',
  'RESTARTING',
  'RESIZING',
  'TERMINATED',
] as const satisfies readonly ShownClusterState[];

export const ClusterId = Type.String({ minLength: 1, description: 'Id of the cluster.' });

const TerminationReason = Type.Object(
  {
    code: Type.String({
      description: 'Reason, for example JOB_FINISHED, USER_REQUEST or INIT_SCRIPT_FAILURE.',
    }),
    type: Type.Enum(['SUCCESS', 'CLIENT_ERROR', 'CLOUD_FAILURE'], { description: 'Category of the reason.' }),
    parameters: Type.Record(Type.String(), Type.String(), { description: 'Details of the reason.' }),
  },
  { description: 'Reason of the termination.' },
);

export const ClusterDocument = Type.Object(
  {
    ...NewCluster.properties,
    cluster_id: ClusterId,
    cluster_name: Type.String({ description: 'Name of the cluster.' }),
    creator_user_name: Type.Optional(
      Type.String({ description: 'User who created it; absent for clusters of runs.' }),
    ),
    cluster_source: Type.Enum(['API', 'JOB'], {
      description: 'API: created by clusters/create. JOB: created for a run.',
    }),
    state: Type.Enum([...shownStates], {
      description:
        'State. RESIZING: running, and waiting for more workers. RESTARTING: starting because of a restart.',
    }),
    state_message: Type.String({ description: 'Details of the state.' }),
    start_time: epochMsSchema('Time of the request'),
    last_restarted_time: Type.Optional(epochMsSchema('Time of the last start')),
    terminated_time: Type.Optional(epochMsSchema('Time of the termination')),
    termination_reason: Type.Optional(TerminationReason),
    autotermination_minutes: Type.Optional(
      Type.Integer({ description: 'Minutes without a task after which the cluster terminates; 0: never.' }),
    ),
  },
  { description: 'Cluster. num_workers is the desired number, not the actual one.' },
);

/** Returns the document of a cluster with the sizes that its pool and policy supply. */
export function toClusterView(cluster: Cluster, inventory: Inventory): object {
  const {
    clusterId,
    name,
    kind,
    creator,
    spec,
    createdTime,
    startedTime,
    terminatedTime,
    termination,
    workers,
  } = cluster;
  const shape = resolveShape(spec, inventory);
  const types =
    'error' in shape || shape.nodeTypeId === ''
      ? {}
      : { node_type_id: shape.nodeTypeId, driver_node_type_id: shape.driverNodeTypeId };
  return {
    ...renderCluster(spec),
    ...types,
    ...maskEnvironment(spec),
    num_workers: workers,
    cluster_id: clusterId,
    cluster_name: name,
    ...(creator !== undefined && { creator_user_name: creator }),
    cluster_source: kind === 'JOB' ? 'JOB' : 'API',
    state: stateOf(cluster),
    state_message: stateMessageOf(cluster),
    start_time: createdTime,
    ...(startedTime !== undefined && { last_restarted_time: startedTime }),
    ...(terminatedTime !== undefined && { terminated_time: terminatedTime }),
    ...(termination !== undefined && { termination_reason: toTerminationReason(termination) }),
  };
}

/** Masks secret environment variables: viewers of a cluster need not be its creator. */
function maskEnvironment({ spark_env_vars: variables }: Cluster['spec']): object {
  if (typeof variables !== 'object' || variables === null) return {};
  return {
    spark_env_vars: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, isSecretName(name) ? '***' : value]),
    ),
  };
}

/** Returns the state that clients see. */
function stateOf({ state, nodes, wantedNodes, restarting }: Cluster): ShownClusterState {
  if (state === 'PENDING' && restarting) return 'RESTARTING';
  return state === 'RUNNING' && nodes < wantedNodes ? 'RESIZING' : state;
}

function stateMessageOf(cluster: Cluster): string {
  const { state, nodes, wantedNodes, workers, termination } = cluster;
  if (state === 'TERMINATED') return termination?.parameters?.['message'] ?? '';
  if (nodes >= wantedNodes) return '';
  return state === 'PENDING'
    ? `Waiting for ${wantedNodes} nodes`
    : `Has ${actualWorkers(cluster)} of ${workers} workers`;
}
