/** All operations of the API, in the order of the documentation. */
import { listAuditOperation } from '../audit/list.ts';
import { createClusterOperations } from '../clusters/cluster-operations.ts';
import { createDashboardOperations } from '../dashboards/dashboard-operations.ts';
import { createDeliveryOperations } from '../deliveries/delivery-operations.ts';
import { createDestinationOperations } from '../destinations/destination-operations.ts';
import { createJobOperations } from '../jobs/job-operations.ts';
import { createLibraryOperations } from '../libraries/library-operations.ts';
import { createFileOperations } from '../files/file-operations.ts';
import { createManagedFsOperations } from '../managed-fs/managed-fs-operations.ts';
import { listNodesOperation } from '../nodes/list.ts';
import { getCurrentUserOperation } from '../people/get-current-user.ts';
import { createPeopleOperations } from '../people/people-operations.ts';
import { createPermissionOperations } from '../permissions/permission-operations.ts';
import type { PipelineApiPorts } from '../pipelines/pipeline-api-ports.ts';
import { createPipelineOperations } from '../pipelines/pipeline-operations.ts';
import { createRunOperations } from '../runs/run-operations.ts';
import { createTokenManagementOperations } from '../token-management/token-management-operations.ts';
import { createTokenPermissionOperations } from '../token-permissions/token-permission-operations.ts';
import { listTokenScopesOperation } from '../tokens/list-scopes.ts';
import { createTokenOperations } from '../tokens/token-operations.ts';
import { createWorkspaceConfOperations } from '../workspace-conf/workspace-conf-operations.ts';
import { createWorkspaceOperations } from '../workspace/workspace-operations.ts';
import type { Operation } from './operation.ts';
import type {
  ClusterPorts,
  DashboardPorts,
  ManagedFsPorts,
  OperationPorts,
  WorkspacePorts,
} from './ports.ts';

/** Creates every operation of the service. */
export function createAllOperations(
  ports: OperationPorts & WorkspacePorts & ManagedFsPorts & DashboardPorts & PipelineApiPorts & ClusterPorts,
): Operation[] {
  return addScopesOperation([
    ...createCoreOperations(ports),
    ...createWorkspaceOperations(ports),
    ...createManagedFsOperations(ports),
    ...createFileOperations(ports),
    ...createDashboardOperations(ports),
    ...createPipelineOperations(ports),
    ...createClusterOperations(ports),
  ]);
}

/** Adds the operation that lists the scope of every given operation. */
export function addScopesOperation(operations: readonly Operation[]): Operation[] {
  return [...operations, listTokenScopesOperation(operations)];
}

/** Creates the operations on jobs, runs, permissions, tokens, notifications and people. */
export function createCoreOperations(ports: OperationPorts): Operation[] {
  return [
    ...createJobOperations(ports),
    ...createRunOperations(ports),
    ...createPermissionOperations(ports),
    ...createTokenOperations(ports),
    getCurrentUserOperation(ports),
    listNodesOperation(ports),
    ...createLibraryOperations(ports),
    ...createDestinationOperations(ports),
    ...createDeliveryOperations(ports),
    ...createPeopleOperations(ports),
    ...createTokenManagementOperations(ports),
    ...createTokenPermissionOperations(ports),
    ...createWorkspaceConfOperations(ports),
    listAuditOperation(ports),
  ];
}
