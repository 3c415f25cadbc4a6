/** Operations on clusters, instance pools and policies, in the order of the documentation. */
import { getClusterPermissionsOperation } from '../cluster-permissions/get.ts';
import { listClusterPermissionLevelsOperation } from '../cluster-permissions/list-levels.ts';
import { replaceClusterPermissionsOperation } from '../cluster-permissions/replace.ts';
import { updateClusterPermissionsOperation } from '../cluster-permissions/update.ts';
import { createInstancePoolOperation } from '../instance-pools/create.ts';
import { deleteInstancePoolOperation } from '../instance-pools/delete.ts';
import { editInstancePoolOperation } from '../instance-pools/edit.ts';
import { getInstancePoolOperation } from '../instance-pools/get.ts';
import { listInstancePoolsOperation } from '../instance-pools/list.ts';
import type { Operation } from '../http/operation.ts';
import { createPolicyOperation } from '../policies/create.ts';
import { deletePolicyOperation } from '../policies/delete.ts';
import { editPolicyOperation } from '../policies/edit.ts';
import { getPolicyOperation } from '../policies/get.ts';
import { listPoliciesOperation } from '../policies/list.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { createClusterOperation } from './create.ts';
import { deleteClusterOperation } from './delete.ts';
import { listClusterEventsOperation } from './list-events.ts';
import { queryClusterEventsOperation } from './query-events.ts';
import { editClusterOperation } from './edit.ts';
import { getClusterOperation } from './get.ts';
import { listClustersOperation } from './list.ts';
import { listNodeTypesOperation } from './list-node-types.ts';
import { listZonesOperation } from './list-zones.ts';
import { permanentlyDeleteClusterOperation } from './permanent-delete.ts';
import { pinClusterOperation } from './pin.ts';
import { resizeClusterOperation } from './resize.ts';
import { restartClusterOperation } from './restart.ts';
import { listSparkVersionsOperation } from './list-spark-versions.ts';
import { listSparkApplicationsOperation } from './list-spark-applications.ts';
import { startClusterOperation } from './start.ts';
import { unpinClusterOperation } from './unpin.ts';
import { updateClusterOperation } from './update.ts';

/** Creates the operations on clusters, instance pools and cluster policies. */
export function createClusterOperations(ports: ClusterPorts): Operation[] {
  return [
    createClusterOperation,
    getClusterOperation,
    listClustersOperation,
    editClusterOperation,
    updateClusterOperation,
    startClusterOperation,
    restartClusterOperation,
    resizeClusterOperation,
    deleteClusterOperation,
    permanentlyDeleteClusterOperation,
    pinClusterOperation,
    unpinClusterOperation,
    queryClusterEventsOperation,
    listClusterEventsOperation,
    listSparkApplicationsOperation,
    listNodeTypesOperation,
    listSparkVersionsOperation,
    listZonesOperation,
    getClusterPermissionsOperation,
    replaceClusterPermissionsOperation,
    updateClusterPermissionsOperation,
    listClusterPermissionLevelsOperation,
    createInstancePoolOperation,
    getInstancePoolOperation,
    listInstancePoolsOperation,
    editInstancePoolOperation,
    deleteInstancePoolOperation,
    createPolicyOperation,
    getPolicyOperation,
    listPoliciesOperation,
    editPolicyOperation,
    deletePolicyOperation,
  ].map((create) => create(ports));
}
