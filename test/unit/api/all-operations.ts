/** All operations of the service on the database of a harness and on files in a directory. */
import type { Operation } from '../../../api/http/operation.ts';
import { createAllOperations } from '../../../api/http/operations.ts';
import type { Limits } from '../../../engine/limits.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { createPipelineFiles } from '../../../storage/files/pipeline-files.ts';
import { createQueryFiles } from '../../../storage/files/query-files.ts';
import { createRoots } from '../../../storage/files/roots.ts';
import { createUploads } from '../../../storage/files/uploads.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import {
  createClassicDashboardStore,
  createDashboardStore,
} from '../../../storage/postgres/dashboards/dashboards.ts';
import { createPipelineStore } from '../../../storage/postgres/pipelines/pipelines.ts';
import type { ApiHarness } from './api-harness.ts';
import { createClusterPorts } from './cluster-ports.ts';

/** Creates the operations with job access control on; dashboard queries return no rows. */
export function createOperationsOf(
  { ports, database }: Pick<ApiHarness, 'ports' | 'database'>,
  directory: string,
  limits: Limits,
): readonly Operation[] {
  const roots = createRoots({ dataDirectory: directory, allowedRoots: [] });
  return createAllOperations({
    ...ports,
    owners: ports.permissions.listOwners,
    workspace: createWorkspaceStore(roots, limits),
    managedFiles: createManagedFileStore(roots),
    uploads: createUploads(roots, ports.clock),
    classicDashboards: createClassicDashboardStore(database.db),
    dashboards: createDashboardStore(database.db),
    ...createClusterPorts(database, ports.clock),
    queryFiles: createQueryFiles(roots),
    queries: { run: async () => ({ columns: [], rows: [], truncated: false }) },
    pipelines: createPipelineStore(database.db),
    pipelineFiles: createPipelineFiles(roots, limits.pipelineSourceBytes),
  });
}
