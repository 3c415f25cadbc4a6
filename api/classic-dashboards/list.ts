/** GET preview/sql/dashboards. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { ClassicDashboardSummary, toClassicDashboardSummary } from '../views/classic-dashboard-view.ts';
import { fixedLimits } from '../../engine/limits.ts';

/**
 * Lists classic dashboards, newest first, without widgets and queries.
 * @throws ServiceError for a page_size above the maximum
 */
export function listClassicDashboardsOperation({ classicDashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/preview/sql/dashboards',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'List classic dashboards',
    description: 'Lists classic dashboards, newest first, without widgets and queries.',
    request: Type.Object({
      page: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page number, starting at 1.' }),
      ),
      page_size: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: `Dashboards per page. Default: 25, maximum: ${fixedLimits.classicDashboardsPerPage}.`,
        }),
      ),
      q: Type.Optional(
        Type.String({ description: 'Only dashboards whose name contains this text, ignoring case.' }),
      ),
      order: Type.Optional(
        Type.String({ description: 'Accepted and ignored; the list is ordered by creation time.' }),
      ),
    }),
    response: Type.Object({
      count: Type.Integer({ description: 'Total number of dashboards.' }),
      page: Type.Integer({ description: 'Page number.' }),
      page_size: Type.Integer({ description: 'Maximum number of dashboards per page.' }),
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
