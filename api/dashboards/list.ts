/** GET modern/dashboards: the dashboards of the newer format. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardSummary, toDashboardSummary } from '../views/dashboard-view.ts';
import { fixedLimits } from '../../engine/limits.ts';

const listName = 'dashboards';
const pagingRules = { defaultSize: 100, maximumSize: fixedLimits.dashboardsPerPage, cursorLength: 1 };

/** Newest first, without their documents. */
export function listDashboardsOperation({ dashboards }: DashboardPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/modern/dashboards',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'List dashboards',
    description: 'Dashboards of the newer format, newest first, without paths and documents.',
    request: Type.Object({
      page_size: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Dashboards on a page. Default: 100; 0 is the maximum, 1000.',
        }),
      ),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the page before.' })),
      show_trashed: Type.Optional(
        Type.Boolean({ description: 'Shows those in the trash, too. Default: false.' }),
      ),
      view: Type.Optional(Type.String({ description: 'Accepted; there is one view.' })),
    }),
    response: Type.Object({
      dashboards: Type.Array(DashboardSummary),
      next_page_token: Type.Optional(
        Type.String({ description: 'Leads to the next page; absent on the last one.' }),
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
