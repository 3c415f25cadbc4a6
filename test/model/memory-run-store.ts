/** In-memory run store. */
import type { RunStore } from '../../engine/ports/runs.ts';
import { maxConcurrentRunsOf } from '../../engine/run/admission.ts';
import { queueEntryTimeOf } from '../../engine/run/repair-rounds.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import { runOf, type RunRow } from '../../storage/postgres/runs/run-rows.ts';
import { withTasks, writeChangeSet, type MemoryDatabase } from './memory-database.ts';
import { createLaunchTransaction } from './memory-launch-transaction.ts';
import { countRuns, findRunLaunchedBy, isQueued, requireRow } from './memory-queries.ts';

const compareRunIds = (one: RunRow, other: RunRow): number => one.run_id - other.run_id;

export function createMemoryRunStore(memory: MemoryDatabase): RunStore {
  const { tables, transaction } = memory;
  const rows = (holds: (run: RunRow) => boolean): RunRow[] =>
    [...tables.runs.values()].filter(holds).toSorted(compareRunIds);
  const find = (runId: number): RunWithTasks | undefined => {
    const row = tables.runs.get(runId) ?? tables.runs.get(tables.taskRuns.get(runId)?.job_run_id ?? 0);
    return row && withTasks(tables, row);
  };
  const takeOver = (node: string, adopted: RunRow[]): RunWithTasks[] =>
    adopted.map((row) => {
      const run = { ...row, owner: node, fence: row.fence + 1 };
      tables.runs.set(row.run_id, run);
      for (const task of tables.taskRuns.values()) {
        if (task.job_run_id === row.run_id && task.active)
          tables.taskRuns.set(task.run_id, { ...task, fence: run.fence });
      }
      return withTasks(tables, run);
    });
  return {
    launchTransaction: (steps) => transaction(() => steps(createLaunchTransaction(memory))),
    find: (runId) => transaction(() => find(runId)),
    isAttemptActive: (runId) => transaction(() => tables.taskRuns.get(runId)?.active ?? false),
    write: (changeSet) => transaction(() => writeChangeSet(tables, changeSet)),
    reserveRunIds: (count) => transaction(() => Array.from({ length: count }, memory.nextId)),
    recordDurationWarning: ({ kind, runId, fence, at, notifications }) =>
      transaction(() => {
        const row = (kind === 'run' ? tables.runs : tables.taskRuns).get(runId);
        if (row === undefined || row.fence !== fence || !row.active || row.warned_time !== null) return;
        const [run, task] = [tables.runs.get(runId), tables.taskRuns.get(runId)];
        if (kind === 'run' && run !== undefined) tables.runs.set(runId, { ...run, warned_time: at });
        if (kind === 'task' && task !== undefined) tables.taskRuns.set(runId, { ...task, warned_time: at });
        tables.notifications = [...tables.notifications, ...notifications];
      }),
    requestTaskStop: (taskRunId) =>
      transaction(() => {
        const task = tables.taskRuns.get(taskRunId);
        if (task?.active === true && task.stop_reason === null)
          tables.taskRuns.set(taskRunId, { ...task, stop_reason: 'timeout' });
      }),
    listQueuedJobs: () =>
      transaction(() =>
        [...Map.groupBy(rows(isQueued), (run) => run.job_id)].map(([jobId, waiting]) => {
          const { job, hidden } = requireRow(tables.jobs.get(jobId));
          const since = Math.min(...waiting.map((run) => queueEntryTimeOf(runOf(run))));
          return {
            jobId,
            activeRuns: countRuns(tables, jobId).active,
            since,
            maxConcurrentRuns: hidden ? undefined : maxConcurrentRunsOf(job.settings),
          };
        }),
      ),
    listRunsLeavingQueue: (since, limit, closedJobs = []) =>
      transaction(() =>
        rows(
          (run) =>
            isQueued(run) &&
            (run.stop_reason !== null ||
              queueEntryTimeOf(runOf(run)) < since ||
              closedJobs.includes(run.job_id)),
        )
          .slice(0, limit)
          .map((row) => withTasks(tables, row)),
      ),
    findLaunchedRun: (taskRunId) => transaction(() => findRunLaunchedBy(tables, taskRunId)),
    findLatestAttempt: (runId) =>
      transaction(() => {
        const retries = rows((run) => run.original_attempt_run_id === runId && run.attempt > 0).toSorted(
          (one, other) => other.attempt - one.attempt,
        );
        const row = retries[0] ?? tables.runs.get(runId);
        return row && runOf(row);
      }),
    requestStop: (runId, reason, options) =>
      transaction(() => {
        const row = tables.runs.get(runId);
        if (row?.active === true && row.stop_reason === null)
          tables.runs.set(runId, { ...row, stop_reason: reason, stop_message: options?.message ?? null });
        return find(runId)?.run;
      }),
    findStopRequest: async () => undefined,
    requestStopAll: ({ jobId, queuedOnly }) =>
      transaction(() =>
        rows(
          (run) =>
            run.active &&
            run.stop_reason === null &&
            (jobId === undefined || run.job_id === jobId) &&
            (!queuedOnly || run.state === 'QUEUED'),
        ).map((run) => {
          tables.runs.set(run.run_id, { ...run, stop_reason: 'cancel' });
          return run.run_id;
        }),
      ),
    listOwnedRuns: (node) =>
      transaction(() =>
        rows((run) => run.active && run.owner === node).map((run) => ({
          runId: run.run_id,
          stopReason: run.stop_reason ?? undefined,
          stopMessage: run.stop_message ?? undefined,
          timeoutRevision: run.timeout_revision,
        })),
      ),
    // The model has no leases: every other node counts as gone.
    adopt: (node, _now, limit) =>
      transaction(() =>
        takeOver(node, rows((run) => run.active && !isQueued(run) && run.owner !== node).slice(0, limit)),
      ),
    adoptOwn: (node, runIds) =>
      transaction(() =>
        takeOver(
          node,
          rows((run) => run.active && !isQueued(run) && run.owner === node && runIds.includes(run.run_id)),
        ),
      ),
  };
}
