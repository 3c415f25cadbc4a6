/** All operations of the API, in the order of the documentation. */
import { clusterOperations } from '../clusters/cluster-operations.ts';
import { dashboardOperations } from '../dashboards/dashboard-operations.ts';
import { createJobOperation } from '../jobs/create.ts';
import { deleteJobOperation } from '../jobs/delete.ts';
import { getJobOperation } from '../jobs/get.ts';
import { listJobsOperation } from '../jobs/list.ts';
import { previewScheduleOperation } from '../jobs/preview-schedule.ts';
import { resetJobOperation } from '../jobs/reset.ts';
import { updateJobOperation } from '../jobs/update.ts';
import { allLibraryStatusesOperation } from '../libraries/all-cluster-statuses.ts';
import { libraryStatusOperation } from '../libraries/cluster-status.ts';
import { installLibrariesOperation } from '../libraries/install.ts';
import { uninstallLibrariesOperation } from '../libraries/uninstall.ts';
import { managedFsOperations } from '../managed-fs/managed-fs-operations.ts';
import { noticeOperationMakers } from '../deliveries/notification-operations.ts';
import { peopleOperationMakers } from '../people/people-operations.ts';
import type { Operation } from './operation.ts';
import { listNodesOperation } from '../nodes/list.ts';
import { meOperation } from '../people/me.ts';
import { amendPermissionsOperation } from '../permissions/amend.ts';
import { getPermissionsOperation } from '../permissions/get.ts';
import { permissionLevelsOperation } from '../permissions/levels.ts';
import { replacePermissionsOperation } from '../permissions/replace.ts';
import type { PipelineApiPorts } from '../pipelines/pipeline-api-ports.ts';
import { pipelineOperations } from '../pipelines/pipeline-operations.ts';
import type {
  ClusterPorts,
  DashboardPorts,
  ManagedFsPorts,
  OperationPorts,
  WorkspacePorts,
} from './ports.ts';
import { bundleOperation } from '../runs/bundle.ts';
import { cancelAllRunsOperation } from '../runs/cancel-all.ts';
import { cancelRunOperation } from '../runs/cancel.ts';
import { deleteRunOperation } from '../runs/delete.ts';
import { exportRunOperation } from '../runs/export.ts';
import { getOutputOperation } from '../runs/get-output.ts';
import { getRunOperation } from '../runs/get.ts';
import { listRunsOperation } from '../runs/list.ts';
import { logsOperation } from '../runs/logs.ts';
import { logsStreamOperation } from '../runs/logs-stream.ts';
import { repairRunOperation } from '../runs/repair.ts';
import { runNowOperation } from '../runs/run-now.ts';
import { submitOperation } from '../runs/submit.ts';
import { createTokenOperation } from '../tokens/create.ts';
import { deleteTokenOperation } from '../tokens/delete.ts';
import { listTokensOperation } from '../tokens/list.ts';
import { tokenScopesOperation } from '../tokens/scopes.ts';
import { updateTokenOperation } from '../tokens/update.ts';
import { workspaceOperations } from '../workspace/workspace-operations.ts';

const makers: readonly ((ports: OperationPorts) => Operation)[] = [
  createJobOperation,
  getJobOperation,
  listJobsOperation,
  resetJobOperation,
  updateJobOperation,
  deleteJobOperation,
  previewScheduleOperation,
  runNowOperation,
  submitOperation,
  listRunsOperation,
  getRunOperation,
  getOutputOperation,
  exportRunOperation,
  logsOperation,
  logsStreamOperation,
  bundleOperation,
  cancelRunOperation,
  cancelAllRunsOperation,
  repairRunOperation,
  deleteRunOperation,
  getPermissionsOperation,
  replacePermissionsOperation,
  amendPermissionsOperation,
  permissionLevelsOperation,
  createTokenOperation,
  listTokensOperation,
  updateTokenOperation,
  deleteTokenOperation,
  meOperation,
  listNodesOperation,
  installLibrariesOperation,
  uninstallLibrariesOperation,
  libraryStatusOperation,
  allLibraryStatusesOperation,
  ...noticeOperationMakers,
  ...peopleOperationMakers,
];

/** Every operation that the service has, those on files among them. */
export function everyOperation(
  ports: OperationPorts & WorkspacePorts & ManagedFsPorts & DashboardPorts & PipelineApiPorts & ClusterPorts,
): Operation[] {
  return withScopes([
    ...operationsOf(ports),
    ...workspaceOperations(ports),
    ...managedFsOperations(ports),
    ...dashboardOperations(ports),
    ...pipelineOperations(ports),
    ...clusterOperations(ports),
  ]);
}

/** These operations, and the one that tells the scope of each. */
export function withScopes(operations: readonly Operation[]): Operation[] {
  return [...operations, tokenScopesOperation(operations)];
}

/** The operations on jobs, runs, permissions and people, made from what they need of the world. */
export function operationsOf(ports: OperationPorts): Operation[] {
  return makers.map((make) => make(ports));
}
