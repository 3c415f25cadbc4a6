/** POST modern/dashboards/migrate (spec 4.4). */
import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { parseClassicId } from '../../engine/dashboard/classic.ts';
import { convertDashboard } from '../../engine/dashboard/convert-dashboard.ts';
import { serializeDashboard } from '../../engine/dashboard/modern.ts';
import { candidateName, checkDisplayName, dashboardPath, toFileName } from '../../engine/dashboard/names.ts';
import type { Dashboard } from '../../engine/ports/dashboards.ts';
import { invalid, ServiceError } from '../../engine/errors.ts';
import type { WorkspaceStore } from '../../engine/ports/files.ts';
import { classicDashboardNotFound } from '../views/classic-dashboard-view.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardDocument, toDashboardView } from '../views/dashboard-view.ts';

const request = Type.Object({
  source_dashboard_id: Type.String({ description: 'UUID of the classic dashboard.' }),
  display_name: Type.Optional(
    Type.String({ description: 'Name of the new dashboard. Default: the name of the classic dashboard.' }),
  ),
  parent_path: Type.Optional(
    Type.String({
      description:
        'Workspace folder of the new dashboard. Default: the home folder of the caller, which is created if it is missing.',
    }),
  ),
  update_parameter_syntax: Type.Optional(
    Type.Boolean({
      description:
        'Whether parameters in queries are rewritten from {{ p }} to :p. Default: true; false leaves queries unchanged.',
    }),
  ),
});

/**
 * Converts a classic dashboard to the new format and stores it (spec 4.4). The classic dashboard stays
 * unchanged; an error stores nothing.
 * @throws ServiceError for an unknown classic dashboard, an invalid name, and a missing parent folder
 */
export function migrateDashboardOperation(ports: DashboardPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/modern/dashboards/migrate',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Migrate a classic dashboard',
    description:
      'Creates a dashboard of the new format from a classic dashboard, which stays unchanged. If the name is taken, a number is appended.',
    request,
    response: DashboardDocument,
    async handle(input, { caller }) {
      return toDashboardView(await migrateDashboard(ports, input, caller.userName));
    },
  });
}

async function migrateDashboard(
  { classicDashboards, dashboards, workspace, clock, limits }: DashboardPorts,
  {
    source_dashboard_id: sourceId,
    display_name: displayName = '',
    parent_path: parent = '',
    update_parameter_syntax: updateParameterSyntax = true,
  }: Static<typeof request>,
  creator: string,
): Promise<Dashboard> {
  const sourceDashboardId = parseClassicId('source_dashboard_id', sourceId);
  if (displayName.trim() !== '') checkDisplayName('display_name', displayName, limits);
  const source = await classicDashboards.find(sourceDashboardId);
  if (source === undefined) throw classicDashboardNotFound(sourceId);
  const parentPath = parent === '' ? undefined : await resolveFolder(workspace, parent);
  const dashboardId = randomBytes(16).toString('hex');
  const { dashboard, warehouseId, warnings } = convertDashboard(source.document, {
    dashboardId,
    updateParameterSyntax,
  });
  const now = clock.now();
  return insertDashboard(
    { dashboards, workspace },
    {
      dashboardId,
      sourceDashboardId,
      displayName: displayName.trim() === '' ? toFileName(source.document.name) : displayName.trim(),
      parentPath: parentPath ?? (await ensureHomeFolder(workspace, creator)),
      warehouseId,
      creator,
      etag: 1,
      createdTime: now,
      updatedTime: now,
      trashed: false,
      serialized: serializeDashboard(dashboard),
      warnings,
    },
  );
}

/** Stores a dashboard under the first name that is free among dashboards and in the folder. */
async function insertDashboard(
  { dashboards, workspace }: Pick<DashboardPorts, 'dashboards' | 'workspace'>,
  dashboard: Dashboard,
): Promise<Dashboard> {
  for (let attempt = 1; ; attempt += 1) {
    const named = { ...dashboard, displayName: candidateName(dashboard.displayName, attempt) };
    if (await isPathTaken(workspace, dashboardPath(named.parentPath, named.displayName))) continue;
    if (await dashboards.add(named)) return named;
  }
}

async function isPathTaken(workspace: WorkspaceStore, path: string): Promise<boolean> {
  return (await findObjectStatus(workspace, path)) !== undefined;
}

/**
 * Returns the canonical path of a workspace folder.
 * @throws ServiceError for a missing path, and for an object that is not a folder
 */
async function resolveFolder(workspace: WorkspaceStore, path: string): Promise<string> {
  const { type, path: resolved } = await workspace.getStatus(path);
  if (type !== 'DIRECTORY') throw invalid(`parent_path is ${path}, which is not a folder.`);
  return resolved;
}

async function ensureHomeFolder(workspace: WorkspaceStore, userName: string): Promise<string> {
  const path = `/Users/${userName}`;
  await workspace.mkdirs(path);
  return (await workspace.getStatus(path)).path;
}

async function findObjectStatus(workspace: WorkspaceStore, path: string): Promise<object | undefined> {
  return workspace.getStatus(path).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'RESOURCE_DOES_NOT_EXIST') return undefined;
    throw error;
  });
}
