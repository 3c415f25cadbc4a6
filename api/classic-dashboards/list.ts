/** GET preview/sql/dashboards: the classic dashboards. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { ClassicDashboardSummary, toClassicDashboardSummary } from '../views/classic-dashboard-view.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** Newest first, without widgets and queries. */
export function listClassicDashboardsOperation({ classicDashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/preview/sql/dashboards',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'List classic dashboards',
    description: 'Classic dashboards, newest first, without widgets and queries.',
    request: Type.Object({
      page: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Number of the page, from 1.' }),
      ),
      page_size: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: `Dashboards on a page. Default: 25; at most ${fixedLimits.classicDashboardsPerPage}.`,
        }),
      ),
      q: Type.Optional(Type.String({ description: 'Only those whose name holds this, in any case.' })),
      order: Type.Optional(Type.String({ description: 'Accepted; the order is always that of creation.' })),
    }),
    response: Type.Object({
      count: Type.Integer({ description: 'How many there are on all pages.' }),
      page: Type.Integer({ description: 'Number of this page.' }),
      page_size: Type.Integer({ description: 'Dashboards on a full page.' }),
      results: Type.Array(ClassicDashboardSummary),
    }),
    async handle({ page = 1, page_size: size = 25, q: name = '' }) {
      if (size > fixedLimits.classicDashboardsPerPage)
        throw invalid(
          `Invalid page_size ${size} - it has to be no more than ${fixedLimits.classicDashboardsPerPage}.`,
        );
      const { count, dashboards } = await classicDashboards.list({
        name: name === '' ? undefined : name,
        offset: (page - 1) * size,
        limit: size,
      });
      return { count, page, page_size: size, results: dashboards.map(toClassicDashboardSummary) };
    },
  });
}
