/** DELETE preview/sql/dashboards/{dashboard_id}. */
import { Type } from 'typebox';
import { parseClassicId } from '../../engine/dashboard/classic.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { ClassicDashboardId, classicDashboardNotFound } from '../views/classic-dashboard-view.ts';

/**
 * Deletes a classic dashboard. Dashboards that were migrated from it stay.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown dashboard
 */
export function deleteClassicDashboardOperation({ classicDashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/preview/sql/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Delete a classic dashboard',
    description: 'Deletes a classic dashboard permanently. Dashboards that were migrated from it stay.',
    request: Type.Object({ dashboard_id: ClassicDashboardId }),
    response: Type.Object({}),
    async handle({ dashboard_id: id }) {
      if (!(await classicDashboards.remove(parseClassicId('dashboard_id', id))))
        throw classicDashboardNotFound(id);
      return {};
    },
  });
}
