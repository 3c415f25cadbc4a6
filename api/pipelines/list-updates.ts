/** GET pipelines/{pipeline_id}/updates. */
import { Type } from 'typebox';
import { findPipeline } from '../../engine/pipeline-update.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import { PipelineId, toUpdateView, UpdateDocument } from '../views/pipeline-view.ts';
import type { PipelineApiPorts } from './pipeline-api-ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

const listName = 'updates';
const pagingRules = { defaultSize: 25, maximumSize: fixedLimits.pipelineUpdatesPerPage, cursorLength: 1 };

/**
 * Lists the updates of a pipeline, newest first.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pipeline; an invalid page_token
 */
export function listPipelineUpdatesOperation(ports: PipelineApiPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/pipelines/:pipeline_id/updates',
    versions: ['2.0'],
    scope: 'pipelines',
    summary: 'List updates',
    description: 'Lists the updates of a pipeline, newest first. An update is kept as long as its run.',
    request: Type.Object({
      pipeline_id: PipelineId,
      max_results: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Updates per page. Default: 25; 0 means the maximum, 100.' }),
      ),
      page_token: Type.Optional(Type.String({ description: 'The next_page_token of the previous page.' })),
    }),
    response: Type.Object({
      updates: Type.Array(UpdateDocument),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page; absent on the last page.' }),
      ),
    }),
    async handle({ pipeline_id: id, max_results: limit, page_token: token }) {
      const { pipelineId } = await findPipeline(ports, id);
      const { size, cursor } = parsePageRequest(
        listName,
        { ...(limit !== undefined && { limit }), ...(token !== undefined && { page_token: token }) },
        pagingRules,
      );
      const found = await ports.pipelines.listUpdates(pipelineId, { before: cursor?.[0], limit: size + 1 });
      const {
        entries,
        more: { next_page_token: next },
      } = buildPage(listName, found, size, ({ number }) => [number]);
      return { updates: entries.map(toUpdateView), ...(next !== undefined && { next_page_token: next }) };
    },
  });
}
