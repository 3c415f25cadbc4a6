/** DELETE preview/sql/dashboards/{dashboard_id}: removes a classic dashboard. */
import { Type } from 'typebox';
import { parseClassicId } from '../../engine/dashboard/classic.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { ClassicDashboardId, classicDashboardNotFound } from '../views/classic-dashboard-view.ts';

/** For good; dashboards that were made from it stay. */
export function deleteClassicDashboardOperation({ classicDashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/preview/sql/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Delete a classic dashboard',
    description: 'Removes a classic dashboard for good. Dashboards that were made from it stay.',
    request: Type.Object({ dashboard_id: ClassicDashboardId }),
    response: Type.Object({}),
    async handle({ dashboard_id: id }) {
      if (!(await classicDashboards.remove(parseClassicId('dashboard_id', id))))
        throw classicDashboardNotFound(id);
      return {};
    },
  });
}
