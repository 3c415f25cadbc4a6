/** GET jobs/runs/list (spec 4.1 rule 6). */
import { Type, type Static } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { Id, epochMillis, int32 } from '../../engine/validation/scalars.ts';
import { causeCodes } from '../../engine/run/explain/explanation.ts';
import type { Run } from '../../engine/run/run.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { OperationPorts } from '../http/ports.ts';
import { RunDocument } from '../views/run-document.ts';
import { toRunListView, toRunView } from '../views/run-view.ts';
import { apiVersions, shownFormat } from '../http/api-versions.ts';

const defaultPageSize = 20;

/** A cursor consists of start time and run id. */
const cursorLength = 2;

const request = Type.Object({
  job_id: Type.Optional(Type.Integer({ ...Id, description: 'Only runs of this job. Default: all jobs.' })),
  active_only: Type.Optional(
    Type.Boolean({
      description: 'Only QUEUED, PENDING, RUNNING and TERMINATING runs. Excludes completed_only.',
    }),
  ),
  completed_only: Type.Optional(Type.Boolean({ description: 'Only terminated runs.' })),
  run_type: Type.Optional(
    Type.Enum(['JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN'], { description: 'Only runs of this type.' }),
  ),
  cause_code: Type.Optional(Type.Enum(causeCodes, { description: 'Only runs that failed for this cause.' })),
  start_time_from: Type.Optional(epochMillis('Only runs started at or after this time, epoch milliseconds.')),
  start_time_to: Type.Optional(epochMillis('Only runs started at or before this time, epoch milliseconds.')),
  limit: Type.Optional(int32(0, 'Runs per page, less than 1000. Default: 20; 0 means the maximum, 999.')),
  offset: Type.Optional(int32(0, 'Number of runs to skip, starting with the newest. Default: 0.')),
  page_token: Type.Optional(
    Type.String({ description: 'The next_page_token of the previous page; empty for the first page.' }),
  ),
  expand_tasks: Type.Optional(
    Type.Boolean({ description: 'Whether runs include their tasks, in 2.1 and 2.2. Default: false.' }),
  ),
});

/**
 * Lists runs, newest first (spec 4.1 rule 6).
 * @throws ServiceError for an invalid limit or page_token, and for active_only with completed_only
 */
export function listRunsOperation({
  runs,
  limits,
  workspaceInfo,
}: Pick<OperationPorts, 'runs' | 'limits' | 'workspaceInfo'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/list',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'job_id', whenMissing: 'everyone' },
    summary: 'List runs',
    description:
      'Lists runs by start time, newest first. The tasks of multi-task runs are empty: use runs/get, or expand_tasks in 2.1 and 2.2.',
    request,
    response: Type.Object({
      runs: Type.Array(RunDocument, { description: 'One page of runs.' }),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      next_page_token: Type.Optional(
        Type.String({ description: 'The page_token of the next page, in 2.1 and 2.2.' }),
      ),
    }),
    async handle(query, { version, visibleTo }) {
      const { size, offset, cursor } = parsePageRequest('runs', query, {
        defaultSize: defaultPageSize,
        maximumSize: limits.runsPerPage,
        cursorLength,
      });
      const [startTime = 0, runId = 0] = cursor ?? [];
      const found = await runs.list({
        visibleTo,
        jobId: query.job_id,
        active: parseActiveFilter(query),
        type: query.run_type,
        causeCode: query.cause_code,
        startFrom: query.start_time_from,
        startTo: query.start_time_to,
        before: cursor && { startTime, runId },
        offset,
        // One additional entry shows whether another page follows.
        limit: size + 1,
      });
      const { entries, more } = buildPage('runs', found, size, (run) => [
        run.progress.startTime ?? 0,
        run.runId,
      ]);
      const expand = query.expand_tasks === true && version !== '2.0';
      const needsTasks = (run: Run): boolean => expand || shownFormat(run.format, version) === 'SINGLE_TASK';
      const tasks = await runs.listTaskRuns(entries.filter(needsTasks).map((run) => run.runId));
      const view = expand ? toRunView : toRunListView;
      return {
        runs: entries.map((run) =>
          view({ run, tasks: tasks.get(run.runId) ?? [] }, { version, workspaceInfo }),
        ),
        ...(version === '2.0' ? { has_more: more.has_more } : more),
      };
    },
  });
}

/** Returns true for active runs only, false for completed runs only, undefined for both. */
function parseActiveFilter({
  active_only: active = false,
  completed_only: completed = false,
}: Static<typeof request>): boolean | undefined {
  if (active && completed)
    throw invalid('active_only and completed_only are both true; at most one of them may be true.');
  return active === completed ? undefined : active;
}
