/** GET modern/dashboards/{dashboard_id}: one dashboard of the newer format. */
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

/** One in the trash is shown, too. */
export function getDashboardOperation({ dashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/modern/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Get a dashboard',
    description: 'Shows a dashboard with its whole document, one in the trash too.',
    request: Type.Object({ dashboard_id: DashboardId }),
    response: DashboardDocument,
    async handle({ dashboard_id: id }) {
      const dashboard = await dashboards.find(parseDashboardId(id));
      if (dashboard === undefined) throw dashboardNotFound(id);
      return toDashboardView(dashboard);
    },
  });
}
