/** GET preview/sql/dashboards/{dashboard_id}. */
import { Type } from 'typebox';
import { parseClassicId } from '../../engine/dashboard/classic.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import {
  ClassicDashboardDocument,
  ClassicDashboardId,
  toClassicDashboardView,
  classicDashboardNotFound,
} from '../views/classic-dashboard-view.ts';

/**
 * Returns a classic dashboard as it was imported.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown dashboard
 */
export function getClassicDashboardOperation({ classicDashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/preview/sql/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Get a classic dashboard',
    description: 'Returns a classic dashboard as it was imported.',
    request: Type.Object({ dashboard_id: ClassicDashboardId }),
    response: ClassicDashboardDocument,
    async handle({ dashboard_id: id }) {
      const stored = await classicDashboards.find(parseClassicId('dashboard_id', id));
      if (stored === undefined) throw classicDashboardNotFound(id);
      return toClassicDashboardView(stored);
    },
  });
}
