/** GET modern/dashboards. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardSummary, toDashboardSummary } from '../views/dashboard-view.ts';
import { fixedLimits } from '../../engine/limits.ts';

const listName = 'dashboards';
const pagingRules = { defaultSize: 100, maximumSize: fixedLimits.dashboardsPerPage, cursorLength: 1 };

/**
 * Lists dashboards, newest first, without their documents.
 * @throws ServiceError for an invalid page size or page_token
 */
export function listDashboardsOperation({ dashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/modern/dashboards',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'List dashboards',
    description: 'Lists dashboards of the new format, newest first, without paths and documents.',
    request: Type.Object({
      page_size: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Dashboards per page. Default: 100; 0 means the maximum, 1000.',
        }),
      ),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the previous page.' })),
      show_trashed: Type.Optional(
        Type.Boolean({ description: 'Whether dashboards in the trash are listed, too. Default: false.' }),
      ),
      view: Type.Optional(Type.String({ description: 'Accepted and ignored.' })),
    }),
    response: Type.Object({
      dashboards: Type.Array(DashboardSummary),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
      ),
    }),
    async handle({ page_size: limit, page_token: token, show_trashed: trashed = false }) {
      const { size, cursor } = parsePageRequest(
        listName,
        { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
        pagingRules,
      );
      const found = await dashboards.list({ trashed, before: cursor?.[0], limit: size + 1 });
      const {
        entries,
        more: { next_page_token: next },
      } = buildPage(listName, found, size, ({ number }) => [number]);
      return {
        dashboards: entries.map(toDashboardSummary),
        ...(next !== undefined && { next_page_token: next }),
      };
    },
  });
}
