/** In-memory launch transaction. */
import { formatOf, tasksOf } from '../../engine/job/job-format.ts';
import { builtInKindOf } from '../../engine/job/task-kinds.ts';
import type { LaunchTransaction, QueueAdmission } from '../../engine/ports/runs.ts';
import type { NewRun } from '../../engine/run/new-run.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import { runOf, type RunRow } from '../../storage/postgres/runs/run-rows.ts';
import {
  attemptTaskRow,
  insertRun,
  insertTaskRun,
  withTasks,
  writeChangeSet,
  type MemoryDatabase,
  type Tables,
  noExplanation,
} from './memory-database.ts';
import { countRuns, findRunLaunchedBy, insertJob, isQueued, requireRow } from './memory-queries.ts';

async function rejectPipelineUpdate(): Promise<never> {
  throw new Error('The model has no pipeline updates.');
}

export function createLaunchTransaction(memory: MemoryDatabase): LaunchTransaction {
  const { tables } = memory;
  return {
    async lockJob(jobId) {
      const row = tables.jobs.get(jobId);
      return row === undefined || row.hidden ? undefined : row.job;
    },
    createHiddenJob: async (settings, _version, _creator, now) => insertJob(tables, settings, now, true),
    countRuns: async (jobId) => countRuns(tables, jobId),
    listActiveRuns: async (jobId, limit) =>
      [...tables.runs.values()]
        .filter((run) => run.job_id === jobId && run.active)
        .map((run) => run.run_id)
        .toSorted((one, other) => one - other)
        .slice(0, limit),
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
    async countActiveTaskRuns(_added, _maximum, runJobTasks) {
      const loads = [...tables.runs.values()]
        .filter((run) => run.active && !isQueued(run))
        .map((run) => {
          const settings = new Map(tasksOf(run.settings).map((task) => [task.task_key, task]));
          const keys = [...tables.taskRuns.values()]
            .filter((task) => task.job_run_id === run.run_id && task.active)
            .map((task) => settings.get(task.task_key));
          const runJobs = keys.filter((task) => task !== undefined && builtInKindOf(task) === 'run_job_task');
          return {
            taskRuns: Math.min(keys.length, run.parallel_task_runs ?? Infinity),
            runJobTasks: Math.min(runJobs.length, run.parallel_run_job_tasks ?? Infinity),
          };
        });
      const sum = (field: 'taskRuns' | 'runJobTasks'): number =>
        loads.reduce((total, load) => total + load[field], 0);
      const hasWaitingRuns = [...tables.runs.values()].some(
        (run) => run.queue_code === 'ACTIVE_RUNS_LIMIT_REACHED',
      );
      return { taskRuns: sum('taskRuns'), runJobTasks: runJobTasks ? sum('runJobTasks') : 0, hasWaitingRuns };
    },
    insertRun: async (run) => insertNewRun(tables, run),
    lockActiveUpdate: rejectPipelineUpdate,
    insertUpdate: rejectPipelineUpdate,
    async lockRun(runId) {
      const row = tables.runs.get(runId);
      return row && withTasks(tables, row);
    },
    async insertRepair({ after, attempts, queueCode }) {
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
        stop_message: null,
        queue_code: queueCode ?? null,
        settings: after.settings,
        parallel_task_runs: after.parallelTasks?.taskRuns ?? null,
        parallel_run_job_tasks: after.parallelTasks?.runJobTasks ?? null,
        warned_time: null,
        ...noExplanation,
        stop_request: null,
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
    async lockOldestQueuedRuns(jobId, limit) {
      const waiting = [...tables.runs.values()].filter(
        (run) => run.job_id === jobId && isQueued(run) && run.stop_reason === null,
      );
      return waiting
        .toSorted((one, other) => one.number_in_job - other.number_in_job)
        .slice(0, limit)
        .map(runOf);
    },
    admitRuns: async (admissions) => admissions.map((admission) => admitRun(tables, admission)),
    async updateQueueReason(runId, code, message) {
      const row = tables.runs.get(runId);
      if (row !== undefined && isQueued(row)) tables.runs.set(runId, { ...row, queue_code: code, message });
    },
    findLaunchedRun: async (taskRunId) => findRunLaunchedBy(tables, taskRunId),
    write: async (changeSet) => writeChangeSet(tables, changeSet),
  };
}

function admitRun(tables: Tables, { runId, from, to, owner, admittedTime }: QueueAdmission): RunWithTasks {
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
}

function insertNewRun(tables: Tables, run: NewRun): void {
  const isOver = run.state === 'SKIPPED';
  const initialState = {
    state: run.state,
    active: !isOver,
    result: null,
    end_time: isOver ? run.startTime : null,
    running_time: null,
    terminating_time: null,
    fence: 1,
    stop_reason: null,
    warned_time: null,
    ...noExplanation,
  };
  insertRun(tables, {
    ...initialState,
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
    parallel_task_runs: run.parallelTasks.taskRuns,
    parallel_run_job_tasks: run.parallelTasks.runJobTasks,
    stop_message: null,
    message: run.message,
    start_time: run.startTime,
    admitted_time: null,
    scheduled_time: run.scheduledTime ?? null,
    timeout_revision: 0,
    repair_id: null,
    repair_count: null,
    repair_start_time: null,
    earlier_duration: null,
    stop_request: null,
  });
  for (const { runId, taskKey, dueTime = null, message } of run.tasks) {
    insertTaskRun(tables, {
      ...initialState,
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
