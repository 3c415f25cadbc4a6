/** DELETE modern/dashboards/{dashboard_id}: moves a dashboard to the trash. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardId, parseDashboardId, dashboardNotFound } from '../views/dashboard-view.ts';

/** A second time changes nothing. */
export function trashDashboardOperation({ dashboards, clock }: DashboardPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/modern/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Trash a dashboard',
    description: 'Moves a dashboard to the trash, where it can still be read. Its name is free from then on.',
    request: Type.Object({ dashboard_id: DashboardId }),
    response: Type.Object({}),
    async handle({ dashboard_id: id }) {
      if (!(await dashboards.trash(parseDashboardId(id), clock.now()))) throw dashboardNotFound(id);
      return {};
    },
  });
}
