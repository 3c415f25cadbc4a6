/**
 * The stores of runs, jobs and clusters in memory, for thousands of lives a minute: the same fences and
 * expectations as those of SQL.
 */
import { maxConcurrentRunsOf } from '../../engine/run/admission.ts';
import { formatOf } from '../../engine/job/job-format.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import { builtInKindOf } from '../../engine/job/task-kinds.ts';
import { tasksOf } from '../../engine/job/job-format.ts';
import { applyTimeoutUpdate } from '../../engine/job/timeouts.ts';
import type { ClusterStore } from '../../engine/ports/clusters.ts';
import type { RunTimeoutUpdate } from '../../engine/ports/jobs.ts';
import type { JobRunCounts, LaunchedRun, LaunchTransaction, RunStore } from '../../engine/ports/runs.ts';
import type { NewRun } from '../../engine/run/new-run.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import { runOf, type RunRow } from '../../storage/postgres/runs/run-rows.ts';
import {
  attemptTaskRow,
  createMemoryDatabase,
  insertRun,
  insertTaskRun,
  withTasks,
  writeChangeSet,
  type MemoryDatabase,
  type Tables,
} from './memory-database.ts';

export interface MemoryStores {
  readonly memory: MemoryDatabase;
  readonly runs: RunStore;
  readonly clusters: ClusterStore;
  createJob(settings: JobSettings, now: number): Promise<number>;
  /** Replaces the settings of a job and gives the active runs whose timeouts changed with them. */
  changeJob(jobId: number, settings: JobSettings): Promise<readonly RunTimeoutUpdate[]>;
}

export function createMemoryStores(): MemoryStores {
  const memory = createMemoryDatabase();
  return {
    memory,
    runs: createMemoryRunStore(memory),
    clusters: createMemoryClusterStore(memory),
    createJob: (settings, now) => memory.transaction(() => insertJob(memory.tables, settings, now, false)),
    changeJob: (jobId, settings) =>
      memory.transaction(() => {
        const { tables } = memory;
        const row = requireRow(tables.jobs.get(jobId));
        tables.jobs.set(jobId, { ...row, job: { ...row.job, settings } });
        return [...tables.runs.values()]
          .filter((run) => run.job_id === jobId && run.active)
          .flatMap((run) => {
            const changed = applyTimeoutUpdate(run.settings, settings);
            if (changed === undefined) return [];
            tables.runs.set(run.run_id, {
              ...run,
              settings: changed,
              timeout_revision: run.timeout_revision + 1,
            });
            return [{ runId: run.run_id, settings: changed }];
          });
      }),
  };
}

function insertJob(tables: Tables, settings: JobSettings, now: number, hidden: boolean): number {
  const jobId = tables.jobs.size + 1;
  tables.jobs.set(jobId, {
    job: { jobId, creatorUserName: 'ann', createdTime: now, version: '2.1', settings },
    hidden,
    runsStarted: 0,
  });
  return jobId;
}

function requireRow<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('There is no such row.');
  return value;
}

const isQueued = (run: RunRow): boolean => run.queue_code !== null;
const compareRunIds = (one: RunRow, other: RunRow): number => one.run_id - other.run_id;

function countRuns({ runs }: Tables, jobId: number): JobRunCounts {
  const active = [...runs.values()].filter((run) => run.job_id === jobId && run.active);
  const queued = active.filter(isQueued).length;
  return { active: active.length - queued, queued };
}

function findRunLaunchedBy({ runs }: Tables, taskRunId: number): LaunchedRun | undefined {
  const run = [...runs.values()].find((row) => row.launched_by === taskRunId);
  return run && { runId: run.run_id, numberInJob: run.number_in_job };
}

async function rejectPipelineUpdate(): Promise<never> {
  throw new Error('No run of the model is an update of a pipeline.');
}

function createLaunchTransaction(memory: MemoryDatabase): LaunchTransaction {
  const { tables } = memory;
  return {
    async lockJob(jobId) {
      const row = tables.jobs.get(jobId);
      return row === undefined || row.hidden ? undefined : row.job;
    },
    createHiddenJob: async (settings, _version, _creator, now) => insertJob(tables, settings, now, true),
    countRuns: async (jobId) => countRuns(tables, jobId),
    async reserveNumberInJob(jobId) {
      const row = requireRow(tables.jobs.get(jobId));
      tables.jobs.set(jobId, { ...row, runsStarted: row.runsStarted + 1 });
      return row.runsStarted + 1;
    },
    reserveRunIds: async (count) => Array.from({ length: count }, memory.nextId),
    async claimIdempotencyToken(jobId, token, runId) {
      const earlier = tables.tokens.get(`${jobId} ${token}`);
      if (earlier === undefined) {
        tables.tokens.set(`${jobId} ${token}`, runId);
        return 'claimed';
      }
      const run = tables.runs.get(earlier);
      return { runId: earlier, numberInJob: run?.number_in_job ?? 0, deleted: run === undefined };
    },
    countJobsCreated: async (since) =>
      [...tables.jobs.values()].filter(({ job }) => job.createdTime > since).length,
    async countActiveTaskRuns(_added, _most, runJobTasks) {
      const active = [...tables.runs.values()].filter((run) => run.active && !isQueued(run));
      const tasks = active.flatMap((run) =>
        [...tables.taskRuns.values()].filter((task) => task.job_run_id === run.run_id && task.active),
      );
      const runJobs = tasks.filter((task) => {
        const own = tasksOf(requireRow(tables.runs.get(task.job_run_id)).settings).find(
          ({ task_key: key }) => key === task.task_key,
        );
        return own !== undefined && builtInKindOf(own) === 'run_job_task';
      });
      const awaited = [...tables.runs.values()].some((run) => run.queue_code === 'ACTIVE_RUNS_LIMIT_REACHED');
      return {
        taskRuns: tasks.length,
        runJobTasks: runJobTasks ? runJobs.length : 0,
        hasWaitingRuns: awaited,
      };
    },
    insertRun: async (run) => insertNewRun(tables, run),
    lockActiveUpdate: rejectPipelineUpdate,
    insertUpdate: rejectPipelineUpdate,
    async lockRun(runId) {
      const row = tables.runs.get(runId);
      return row && withTasks(tables, row);
    },
    async insertRepair({ after, attempts }) {
      const { repair, progress } = after;
      tables.runs.set(after.runId, {
        ...requireRow(tables.runs.get(after.runId)),
        state: progress.state,
        active: true,
        result: null,
        message: progress.message,
        running_time: null,
        terminating_time: null,
        end_time: null,
        stop_reason: null,
        warned_time: null,
        owner: after.owner ?? null,
        fence: after.fence,
        overriding_parameters: after.overridingParameters ?? null,
        repair_id: repair.repairId,
        repair_count: repair.count,
        repair_start_time: repair.startTime,
        earlier_duration: repair.earlierDuration,
      });
      for (const attempt of attempts) insertTaskRun(tables, attemptTaskRow(attempt));
    },
    async lockOldestQueuedRun(jobId) {
      const waiting = [...tables.runs.values()].filter(
        (run) => run.job_id === jobId && isQueued(run) && run.stop_reason === null,
      );
      const [first] = waiting.toSorted((one, other) => one.number_in_job - other.number_in_job);
      return first && runOf(first);
    },
    async admitRun({ runId, from, to, owner, admittedTime }) {
      const row = requireRow(tables.runs.get(runId));
      const admitted: RunRow = {
        ...row,
        state: to,
        queue_code: null,
        message: '',
        owner,
        admitted_time: admittedTime,
      };
      tables.runs.set(runId, admitted);
      for (const task of tables.taskRuns.values()) {
        if (task.job_run_id === runId && task.state === from)
          tables.taskRuns.set(task.run_id, { ...task, state: to });
      }
      return withTasks(tables, admitted);
    },
    async updateQueueReason(runId, code, message) {
      const row = tables.runs.get(runId);
      if (row !== undefined && isQueued(row)) tables.runs.set(runId, { ...row, queue_code: code, message });
    },
    findLaunchedRun: async (taskRunId) => findRunLaunchedBy(tables, taskRunId),
    write: async (changeSet) => writeChangeSet(tables, changeSet),
  };
}

function insertNewRun(tables: Tables, run: NewRun): void {
  const over = run.state === 'SKIPPED';
  const standing = {
    state: run.state,
    active: !over,
    result: null,
    end_time: over ? run.startTime : null,
    running_time: null,
    terminating_time: null,
    fence: 1,
    stop_reason: null,
    warned_time: null,
  };
  insertRun(tables, {
    ...standing,
    run_id: run.runId,
    job_id: run.jobId,
    number_in_job: run.numberInJob,
    format: formatOf(run.settings),
    api_version: run.version,
    name: run.name,
    run_type: run.type,
    trigger: run.trigger,
    creator: run.creator,
    settings: run.settings,
    overriding_parameters: run.overridingParameters ?? null,
    original_attempt_run_id: run.originalAttemptRunId,
    attempt: run.attempt,
    owner: run.state === 'PENDING' ? run.owner : null,
    queue_code: run.queueCode ?? null,
    launched_by: run.launchedBy ?? null,
    parent_task_run_id: run.parentTaskRun ?? null,
    message: run.message,
    start_time: run.startTime,
    admitted_time: null,
    scheduled_time: run.scheduledTime ?? null,
    timeout_revision: 0,
    repair_id: null,
    repair_count: null,
    repair_start_time: null,
    earlier_duration: null,
  });
  for (const { runId, taskKey, dueTime = null, message } of run.tasks) {
    insertTaskRun(tables, {
      ...standing,
      run_id: runId,
      job_run_id: run.runId,
      task_key: taskKey,
      attempt: 0,
      cluster_id: null,
      spark_context_id: null,
      due_time: dueTime,
      message,
      start_time: null,
    });
  }
  tables.notifications = [...tables.notifications, ...run.notifications];
}

function createMemoryRunStore(memory: MemoryDatabase): RunStore {
  const { tables, transaction } = memory;
  const rows = (holds: (run: RunRow) => boolean): RunRow[] =>
    [...tables.runs.values()].filter(holds).toSorted(compareRunIds);
  const find = (runId: number): RunWithTasks | undefined => {
    const row = tables.runs.get(runId) ?? tables.runs.get(tables.taskRuns.get(runId)?.job_run_id ?? 0);
    return row && withTasks(tables, row);
  };
  const take = (node: string, taken: RunRow[]): RunWithTasks[] =>
    taken.map((row) => {
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
          const since = Math.min(...waiting.map((run) => run.start_time ?? 0));
          return {
            jobId,
            activeRuns: countRuns(tables, jobId).active,
            since,
            maxConcurrentRuns: hidden ? undefined : maxConcurrentRunsOf(job.settings),
          };
        }),
      ),
    listRunsLeavingQueue: (since, limit) =>
      transaction(() =>
        rows((run) => isQueued(run) && (run.stop_reason !== null || (run.start_time ?? 0) < since))
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
    requestStop: (runId, reason) =>
      transaction(() => {
        const row = tables.runs.get(runId);
        if (row?.active === true && row.stop_reason === null)
          tables.runs.set(runId, { ...row, stop_reason: reason });
        return find(runId)?.run;
      }),
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
          timeoutRevision: run.timeout_revision,
        })),
      ),
    // Every other node is gone: there are no leases here.
    adopt: (node, _now, limit) =>
      transaction(() =>
        take(node, rows((run) => run.active && !isQueued(run) && run.owner !== node).slice(0, limit)),
      ),
    adoptOwn: (node, runIds) =>
      transaction(() =>
        take(
          node,
          rows((run) => run.active && !isQueued(run) && run.owner === node && runIds.includes(run.run_id)),
        ),
      ),
  };
}

const newClusterDefaults = {
  generation: 0,
  startedTime: undefined,
  terminatedTime: undefined,
  termination: undefined,
};

function createMemoryClusterStore({ tables, transaction }: MemoryDatabase): ClusterStore {
  return {
    create: (cluster, running, fence) =>
      transaction(() => {
        const run = cluster.jobRunId === undefined ? undefined : tables.runs.get(cluster.jobRunId);
        if (run?.active !== true || run.fence !== fence) return 'refused';
        if (!tables.clusters.has(cluster.clusterId)) {
          tables.clusters.set(cluster.clusterId, {
            ...cluster,
            ...newClusterDefaults,
            nodes: cluster.wantedNodes,
            state: running === undefined ? 'PENDING' : 'RUNNING',
            sparkContextId: running,
          });
        }
        return 'created';
      }),
    find: (clusterId) => transaction(() => tables.clusters.get(clusterId)),
    listByRun: (jobRunId) =>
      transaction(() =>
        [...tables.clusters.values()].filter(
          (one) => one.jobRunId === jobRunId && one.state !== 'TERMINATED',
        ),
      ),
    markRunning: (clusterId, sparkContextId) =>
      transaction(() => {
        const cluster = tables.clusters.get(clusterId);
        if (cluster?.state === 'PENDING')
          tables.clusters.set(clusterId, { ...cluster, state: 'RUNNING', sparkContextId });
        return tables.clusters.get(clusterId)?.state === 'RUNNING';
      }),
    terminate: (clusterIds, termination, now) =>
      transaction(() => {
        for (const clusterId of clusterIds) {
          const cluster = requireRow(tables.clusters.get(clusterId));
          if (cluster.state !== 'TERMINATED')
            tables.clusters.set(clusterId, {
              ...cluster,
              state: 'TERMINATED',
              nodes: 0,
              termination,
              terminatedTime: now,
            });
        }
      }),
    ensureAllPurpose: (cluster, sparkContextId) =>
      transaction(() => {
        const found = tables.clusters.get(cluster.clusterId) ?? {
          ...cluster,
          ...newClusterDefaults,
          nodes: cluster.wantedNodes,
          state: 'RUNNING' as const,
          sparkContextId,
        };
        tables.clusters.set(cluster.clusterId, found);
        return found;
      }),
    // Nothing of this is part of the model: its clusters keep their size.
    recordEvent: async () => undefined,
    rescale: async () => undefined,
    preempt: async () => 0,
    recordUse: async () => undefined,
  };
}
