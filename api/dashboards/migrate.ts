/** POST modern/dashboards/migrate (spec 4.4): a classic dashboard becomes one of the newer format. */
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
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

/** Nothing is stored unless all of it is. The classic dashboard stays as it is. */
export function migrateDashboardOperation({
  classicDashboards,
  dashboards,
  workspace,
  clock,
  limits,
}: DashboardPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/modern/dashboards/migrate',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Migrate a classic dashboard',
    description:
      'Makes a dashboard of the newer format from a classic one, which stays as it is. A name that is taken gets a number behind it.',
    request: Type.Object({
      source_dashboard_id: Type.String({ description: 'UUID of the classic dashboard.' }),
      display_name: Type.Optional(
        Type.String({ description: 'Name of the new dashboard. Default: that of the classic one.' }),
      ),
      parent_path: Type.Optional(
        Type.String({
          description:
            'Folder of the workspace that is to contain it. Default: the home folder of the caller, which is made when it is missing.',
        }),
      ),
      update_parameter_syntax: Type.Optional(
        Type.Boolean({
          description:
            'Rewrites parameters in queries from {{ p }} to :p. Default: true; else queries stay byte for byte.',
        }),
      ),
    }),
    response: DashboardDocument,
    async handle(
      {
        source_dashboard_id: sourceId,
        display_name: wantedName = '',
        parent_path: wantedParent = '',
        update_parameter_syntax: update = true,
      },
      { caller },
    ) {
      const id = parseClassicId('source_dashboard_id', sourceId);
      if (wantedName.trim() !== '') checkDisplayName('display_name', wantedName, limits);
      const source = await classicDashboards.find(id);
      if (source === undefined) throw classicDashboardNotFound(sourceId);
      const parentPath = wantedParent === '' ? undefined : await assertFolder(workspace, wantedParent);
      const dashboardId = randomBytes(16).toString('hex');
      const { dashboard, warehouseId, warnings } = convertDashboard(source.document, {
        dashboardId,
        updateParameterSyntax: update,
      });
      const now = clock.now();
      return toDashboardView(
        await insertDashboard(
          { dashboards, workspace },
          {
            dashboardId,
            sourceDashboardId: id,
            displayName: wantedName.trim() === '' ? toFileName(source.document.name) : wantedName.trim(),
            parentPath: parentPath ?? (await ensureHomeFolder(workspace, caller.userName)),
            warehouseId,
            creator: caller.userName,
            etag: 1,
            createdTime: now,
            updatedTime: now,
            trashed: false,
            serialized: serializeDashboard(dashboard),
            warnings,
          },
        ),
      );
    },
  });
}

/** Stores it under the first name that is free among dashboards and among the files of the folder. */
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

/** @throws ServiceError for a folder that is missing, or no folder, or outside of the workspace */
async function assertFolder(workspace: WorkspaceStore, path: string): Promise<string> {
  const { type, path: inside } = await workspace.getStatus(path);
  if (type !== 'DIRECTORY') throw invalid(`parent_path is ${path}, which is not a folder.`);
  return inside;
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
