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
  limit: Type.Optional(int32(0, 'Jobs per page, at most 100; 0 means 100. Default: 20, in 2.0 all jobs.')),
  offset: Type.Optional(int32(0, 'Jobs to leave out, from the newest. Default: 0.')),
  page_token: Type.Optional(
    Type.String({ description: 'next_page_token of the page before; empty for the first page.' }),
  ),
  name: Type.Optional(
    Type.String({ description: 'Only jobs of exactly this name, without regard to case.' }),
  ),
  expand_tasks: Type.Optional(
    Type.Boolean({ description: 'Whether tasks are shown, in 2.1 and 2.2. Default: false.' }),
  ),
});

/** Lists jobs, newest first. 2.0 has no pages unless a limit is given. */
export function listJobsOperation({ jobs, owners }: Pick<OperationPorts, 'jobs' | 'owners'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/list',
    versions: apiVersions,
    scope: 'jobs',
    access: 'everyone',
    summary: 'List jobs',
    description:
      'Jobs, newest first. The settings of multi-task jobs omit tasks: fetch the job, or give expand_tasks in 2.1 and 2.2.',
    request,
    response: Type.Object({
      jobs: Type.Array(JobDocument, { description: 'One page of jobs.' }),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'page_token of that page, in 2.1 and 2.2.' }),
      ),
    }),
    async handle({ name, ...query }, { version, visibleTo }) {
      const view = query.expand_tasks === true && version !== '2.0' ? toJobView : toJobListView;
      const { size, offset, cursor } = parsePageRequest('jobs', query, pagingRules);
      const paged = version !== '2.0' || query.limit !== undefined;
      // One more than the page has tells whether another follows.
      const found = await jobs.list({
        visibleTo,
        name,
        beforeJobId: cursor?.[0],
        offset,
        limit: paged ? size + 1 : undefined,
      });
      const { entries, more } = buildPage('jobs', found, paged ? size : found.length, (job) => [job.jobId]);
      const shown = version === '2.0' ? { has_more: more.has_more } : more;
      const owned = await owners?.(entries.map((job) => job.jobId));
      return { jobs: entries.map((job) => view(job, version, owned)), ...shown };
    },
  });
}
