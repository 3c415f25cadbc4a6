/** GET pipelines. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import { PipelineStatus, toPipelineStatus } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

const listName = 'pipelines';
const pagingRules = { defaultSize: 25, maximumSize: fixedLimits.pipelinesPerPage, cursorLength: 1 };

/**
 * Lists pipelines, newest first.
 * @throws ServiceError for an invalid filter or page_token
 */
export function listPipelinesOperation({ pipelines }: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'List pipelines',
    description: 'Lists pipelines, newest first. Pipelines of spec files are listed after their first use.',
    request: Type.Object({
      max_results: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Pipelines per page. Default: 25; 0 means the maximum, 100.',
        }),
      ),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the previous page.' })),
      filter: Type.Optional(
        Type.String({ description: "Condition on the name: name = 'sales' or name LIKE '%sales%'." }),
      ),
    }),
    response: Type.Object({
      statuses: Type.Array(PipelineStatus),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
      ),
    }),
    async handle({ max_results: limit, page_token: token, filter = '' }) {
      const { size, cursor } = parsePageRequest(
        listName,
        { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
        pagingRules,
      );
      const found = await pipelines.list({
        like: parseNameFilter(filter),
        before: cursor?.[0],
        limit: size + 1,
      });
      const {
        entries,
        more: { next_page_token: next },
      } = buildPage(listName, found, size, ({ number }) => [number]);
      return {
        statuses: await Promise.all(entries.map((pipeline) => toPipelineStatus({ pipelines }, pipeline))),
        ...(next !== undefined && { next_page_token: next }),
      };
    },
  });
}

function parseNameFilter(filter: string): string | undefined {
  if (filter.trim() === '') return undefined;
  const [, operator = '', name = ''] = /^\s*name\s*(=|like)\s*'((?:[^']|'')*)'\s*$/i.exec(filter) ?? [];
  if (operator === '')
    throw invalid(`filter is ${quote(filter)}; it must be name = '...' or name LIKE '...'.`);
  const text = name.replaceAll("''", "'").replaceAll('\\', '\\\\');
  return operator === '=' ? text.replaceAll(/[%_]/g, '\\$&') : text;
}
