/** All operations of the API, in the order of the documentation. */
import { createClusterOperations } from '../clusters/cluster-operations.ts';
import { createDashboardOperations } from '../dashboards/dashboard-operations.ts';
import { createJobOperation } from '../jobs/create.ts';
import { deleteJobOperation } from '../jobs/delete.ts';
import { getJobOperation } from '../jobs/get.ts';
import { listJobsOperation } from '../jobs/list.ts';
import { previewScheduleOperation } from '../jobs/preview-schedule.ts';
import { resetJobOperation } from '../jobs/reset.ts';
import { updateJobOperation } from '../jobs/update.ts';
import { listLibraryStatusesOperation } from '../libraries/list-statuses.ts';
import { getLibraryStatusOperation } from '../libraries/get-status.ts';
import { installLibrariesOperation } from '../libraries/install.ts';
import { uninstallLibrariesOperation } from '../libraries/uninstall.ts';
import { createManagedFsOperations } from '../managed-fs/managed-fs-operations.ts';
import { notificationOperationFactories } from '../deliveries/notification-operations.ts';
import { peopleOperationFactories } from '../people/people-operations.ts';
import type { Operation } from './operation.ts';
import { listNodesOperation } from '../nodes/list.ts';
import { getCurrentUserOperation } from '../people/get-current-user.ts';
import { updatePermissionsOperation } from '../permissions/update.ts';
import { getPermissionsOperation } from '../permissions/get.ts';
import { listPermissionLevelsOperation } from '../permissions/list-levels.ts';
import { replacePermissionsOperation } from '../permissions/replace.ts';
import type { PipelineApiPorts } from '../pipelines/pipeline-api-ports.ts';
import { createPipelineOperations } from '../pipelines/pipeline-operations.ts';
import type {
  ClusterPorts,
  DashboardPorts,
  ManagedFsPorts,
  OperationPorts,
  WorkspacePorts,
} from './ports.ts';
import { getBundleOperation } from '../runs/get-bundle.ts';
import { cancelAllRunsOperation } from '../runs/cancel-all.ts';
import { cancelRunOperation } from '../runs/cancel.ts';
import { deleteRunOperation } from '../runs/delete.ts';
import { exportRunOperation } from '../runs/export.ts';
import { getRunOutputOperation } from '../runs/get-output.ts';
import { getRunOperation } from '../runs/get.ts';
import { listRunsOperation } from '../runs/list.ts';
import { getLogsOperation } from '../runs/get-logs.ts';
import { streamLogsOperation } from '../runs/stream-logs.ts';
import { repairRunOperation } from '../runs/repair.ts';
import { runNowOperation } from '../runs/run-now.ts';
import { submitRunOperation } from '../runs/submit.ts';
import { createTokenOperation } from '../tokens/create.ts';
import { deleteTokenOperation } from '../tokens/delete.ts';
import { listTokensOperation } from '../tokens/list.ts';
import { listTokenScopesOperation } from '../tokens/list-scopes.ts';
import { updateTokenOperation } from '../tokens/update.ts';
import { createWorkspaceOperations } from '../workspace/workspace-operations.ts';

const operationFactories: readonly ((ports: OperationPorts) => Operation)[] = [
  createJobOperation,
  getJobOperation,
  listJobsOperation,
  resetJobOperation,
  updateJobOperation,
  deleteJobOperation,
  previewScheduleOperation,
  runNowOperation,
  submitRunOperation,
  listRunsOperation,
  getRunOperation,
  getRunOutputOperation,
  exportRunOperation,
  getLogsOperation,
  streamLogsOperation,
  getBundleOperation,
  cancelRunOperation,
  cancelAllRunsOperation,
  repairRunOperation,
  deleteRunOperation,
  getPermissionsOperation,
  replacePermissionsOperation,
  updatePermissionsOperation,
  listPermissionLevelsOperation,
  createTokenOperation,
  listTokensOperation,
  updateTokenOperation,
  deleteTokenOperation,
  getCurrentUserOperation,
  listNodesOperation,
  installLibrariesOperation,
  uninstallLibrariesOperation,
  getLibraryStatusOperation,
  listLibraryStatusesOperation,
  ...notificationOperationFactories,
  ...peopleOperationFactories,
];

/** Every operation that the service has, those on files among them. */
export function createAllOperations(
  ports: OperationPorts & WorkspacePorts & ManagedFsPorts & DashboardPorts & PipelineApiPorts & ClusterPorts,
): Operation[] {
  return addScopesOperation([
    ...createCoreOperations(ports),
    ...createWorkspaceOperations(ports),
    ...createManagedFsOperations(ports),
    ...createDashboardOperations(ports),
    ...createPipelineOperations(ports),
    ...createClusterOperations(ports),
  ]);
}

/** These operations, and the one that tells the scope of each. */
export function addScopesOperation(operations: readonly Operation[]): Operation[] {
  return [...operations, listTokenScopesOperation(operations)];
}

/** The operations on jobs, runs, permissions and people, made from what they need of the world. */
export function createCoreOperations(ports: OperationPorts): Operation[] {
  return operationFactories.map((make) => make(ports));
}
