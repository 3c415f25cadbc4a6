/** GET preview/sql/dashboards/{dashboard_id}: one classic dashboard. */
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

/** As it was brought in. */
export function getClassicDashboardOperation({ classicDashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/preview/sql/dashboards/:dashboard_id',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Get a classic dashboard',
    description: 'Shows a classic dashboard as it was brought in.',
    request: Type.Object({ dashboard_id: ClassicDashboardId }),
    response: ClassicDashboardDocument,
    async handle({ dashboard_id: id }) {
      const stored = await classicDashboards.find(parseClassicId('dashboard_id', id));
      if (stored === undefined) throw classicDashboardNotFound(id);
      return toClassicDashboardView(stored);
    },
  });
}
