/** GET modern/dashboards/{dashboard_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import {
  DashboardDocument,
  DashboardId,
  parseDashboardId,
  toDashboardView,
  dashboardNotFound,
} from '../views/dashboard-view.ts';

/**
 * Returns a dashboard, including trashed ones (spec 2.12).
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown dashboard
 */
export function getDashboardOperation({ dashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/modern/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Get a dashboard',
    description: 'Returns a dashboard with its complete document, including dashboards in the trash.',
    request: Type.Object({ dashboard_id: DashboardId }),
    response: DashboardDocument,
    async handle({ dashboard_id: id }) {
      const dashboard = await dashboards.find(parseDashboardId(id));
      if (dashboard === undefined) throw dashboardNotFound(id);
      return toDashboardView(dashboard);
    },
  });
}
