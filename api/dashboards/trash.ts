/** DELETE modern/dashboards/{dashboard_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardId, parseDashboardId, dashboardNotFound } from '../views/dashboard-view.ts';

/**
 * Moves a dashboard to the trash; no effect on a trashed dashboard.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown dashboard
 */
export function trashDashboardOperation({ dashboards, clock }: DashboardPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/modern/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Trash a dashboard',
    description: 'Moves a dashboard to the trash. It can still be read, and its name can be used again.',
    request: Type.Object({ dashboard_id: DashboardId }),
    response: Type.Object({}),
    async handle({ dashboard_id: id }) {
      if (!(await dashboards.trash(parseDashboardId(id), clock.now()))) throw dashboardNotFound(id);
      return {};
    },
  });
}
