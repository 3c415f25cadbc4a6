/** GET jobs/list (spec 4.1). */
import { Type } from 'typebox';
import { int32 } from '../../engine/validation/scalars.ts';
import { JobDocument, toJobView, toJobListView } from '../views/job-view.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { fixedLimits } from '../../engine/limits.ts';

const pagingRules = { defaultSize: 20, maximumSize: fixedLimits.jobsPerPage, cursorLength: 1 };

const request = Type.Object({
  limit: Type.Optional(int32(0, 'Jobs per page. Default: 20, in 2.0 all jobs; 0 means the maximum, 100.')),
  offset: Type.Optional(int32(0, 'Number of jobs to skip, starting with the newest. Default: 0.')),
  page_token: Type.Optional(
    Type.String({ description: 'The next_page_token of the previous page; empty for the first page.' }),
  ),
  name: Type.Optional(Type.String({ description: 'Only jobs with exactly this name, ignoring case.' })),
  expand_tasks: Type.Optional(
    Type.Boolean({ description: 'Whether settings include tasks, in 2.1 and 2.2. Default: false.' }),
  ),
});

/**
 * Lists jobs, newest first (spec 4.1). 2.0 returns all jobs unless a limit is given.
 * @throws ServiceError for an invalid limit or page_token
 */
export function listJobsOperation({ jobs, owners }: Pick<OperationPorts, 'jobs' | 'owners'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/list',
    versions: apiVersions,
    scope: 'jobs',
    access: 'everyone',
    summary: 'List jobs',
    description:
      'Lists jobs, newest first. The settings of multi-task jobs omit tasks: use jobs/get, or expand_tasks in 2.1 and 2.2.',
    request,
    response: Type.Object({
      jobs: Type.Array(JobDocument, { description: 'One page of jobs.' }),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page, in 2.1 and 2.2.' }),
      ),
    }),
    async handle({ name, ...query }, { version, visibleTo }) {
      const view = query.expand_tasks === true && version !== '2.0' ? toJobView : toJobListView;
      const { size, offset, cursor } = parsePageRequest('jobs', query, pagingRules);
      const paged = version !== '2.0' || query.limit !== undefined;
      // One additional entry shows whether another page follows.
      const found = await jobs.list({
        visibleTo,
        name,
        beforeJobId: cursor?.[0],
        offset,
        limit: paged ? size + 1 : undefined,
      });
      const { entries, more } = buildPage('jobs', found, paged ? size : found.length, (job) => [job.jobId]);
      const shown = version === '2.0' ? { has_more: more.has_more } : more;
      const ownersByJob = await owners?.(entries.map((job) => job.jobId));
      return { jobs: entries.map((job) => view(job, version, ownersByJob)), ...shown };
    },
  });
}
