/** Describes the observable state of the engine and of the model as comparable lines of text. */
import type { StoreBackend } from './store-backend.ts';
import type { FakeProcessTable } from './fake-process-table.ts';
import { isOver, labelOf, latestAttempt, type ModelState } from './reference-state.ts';
import { describeQueue } from './reference-queue.ts';

interface StateTimes {
  readonly start: number | null | undefined;
  readonly running: number | null | undefined;
  readonly terminating: number | null | undefined;
  readonly end: number | null | undefined;
}

/** Describes a state. Times are relative to the start of the scenario. */
function describeState(
  state: string,
  result: string | null | undefined,
  times: StateTimes & { due?: number | null | undefined; admitted?: number | null | undefined },
  startTime: number,
): string {
  // An admission at the start time equals a start without a queue.
  const stamps = Object.entries(times)
    .filter(([name, at]) => typeof at === 'number' && !(name === 'admitted' && at === times.start))
    .map(([name, at]) => `${name} ${Number(at) - startTime}`)
    .toSorted();
  return `${state}${result === null || result === undefined ? '' : `/${result}`} ${stamps.join(' ')}`;
}

function describeOrigin(trigger: string, attempt: number, first: string): string {
  return attempt === 0 ? `${trigger} ${attempt}` : `${trigger} ${attempt} of ${first}`;
}

/** @param startTime start of the scenario, epoch ms */
export function observeModel(model: ModelState, startTime: number): string[] {
  const lines = model.runs.flatMap((run) => {
    const label = labelOf(run);
    const from =
      run.original === undefined
        ? describeOrigin('ONE_TIME', 0, '')
        : describeOrigin('RETRY', run.attempt, labelOf(run.original));
    return [
      `${label} ${from} ${describeState(run.state, run.result, { ...timesOf(run), admitted: run.admittedAt }, startTime)}`,
      ...run.tasks.flatMap((task) =>
        task.attempts.map(
          (attempt) =>
            `${label}/${task.plan.key}:${attempt.number} ${describeState(attempt.state, attempt.result, { ...timesOf(attempt), due: attempt.due }, startTime)}`,
        ),
      ),
      ...run.notifications.map((notification) => `${label} notified ${notification}`),
      ...(run.sharedClusterReadyAt === undefined || isOver(run) ? [] : [`cluster ${label} shared`]),
      ...run.tasks.flatMap((task) =>
        latestAttempt(task).clusterReadyAt === undefined || isOver(latestAttempt(task))
          ? []
          : [`cluster ${label} ${task.plan.key}:${latestAttempt(task).number}`],
      ),
      ...run.tasks
        .filter((task) => latestAttempt(task).state === 'RUNNING' && task.plan.childJobIndex === undefined)
        .map(
          (task) =>
            `executing ${label}/${task.plan.key}:${latestAttempt(task).number}${latestAttempt(task).stopReason === undefined ? '' : ' stopping'}`,
        ),
    ];
  });
  return [...lines.toSorted(), ...describeQueue(model).map((waiting) => `queue ${waiting}`)];
}

function timesOf({ start, running, terminating, end }: Partial<StateTimes>): StateTimes {
  return { start, running, terminating, end };
}

/** @param jobIds ids of the planned jobs in order; every other job is a submission */
export async function observeEngine(
  backend: StoreBackend,
  { processes }: FakeProcessTable,
  jobIds: readonly number[],
  startTime: number,
): Promise<string[]> {
  const { runs, taskRuns, notifications, clusters } = await backend.readRows();
  const submissions = [...new Set(runs.map((run) => run.job_id))]
    .filter((jobId) => !jobIds.includes(jobId))
    .toSorted((one, other) => one - other);
  const jobLabel = (jobId: number): string =>
    jobIds.includes(jobId) ? `job${jobIds.indexOf(jobId)}` : `submission${submissions.indexOf(jobId)}`;
  const labels = new Map(runs.map((run) => [run.run_id, `${jobLabel(run.job_id)}#${run.number_in_job}`]));
  const attempts = new Map(
    taskRuns.map((task) => [
      task.run_id,
      { label: labels.get(task.job_run_id) ?? '', attempt: `${task.task_key}:${task.attempt}` },
    ]),
  );
  const lines = [
    ...runs.map(
      (run) =>
        `${labels.get(run.run_id)} ${describeOrigin(run.trigger, run.attempt, labels.get(run.original_attempt_run_id) ?? '')} ` +
        describeState(run.state, run.result, { ...timesOfRow(run), admitted: run.admitted_time }, startTime),
    ),
    ...taskRuns.map(
      (task) =>
        `${labels.get(task.job_run_id)}/${task.task_key}:${task.attempt} ` +
        describeState(task.state, task.result, { ...timesOfRow(task), due: task.due_time }, startTime),
    ),
    ...notifications.map(({ runId, taskKey, event }) =>
      taskKey === undefined
        ? `${labels.get(runId)} notified run ${event}`
        : `${attempts.get(runId)?.label} notified ${attempts.get(runId)?.attempt} ${event}`,
    ),
    ...clusters.map(
      ({ jobRunId, key }) =>
        `cluster ${labels.get(jobRunId)} ${key.startsWith('task:') ? attempts.get(Number(key.slice('task:'.length)))?.attempt : key}`,
    ),
    ...[...processes.values()]
      .filter((process) => !process.ended)
      .map(
        ({ assignment, stopping }) =>
          `executing ${attempts.get(assignment.runId)?.label}/${attempts.get(assignment.runId)?.attempt}${stopping ? ' stopping' : ''}`,
      ),
  ];
  const queue = runs
    .filter((run) => run.state === 'QUEUED')
    .map((run) => `queue ${labels.get(run.run_id)} ${run.queue_code}`);
  return [...lines.toSorted(), ...queue];
}

function timesOfRow(row: {
  start_time: number | null;
  running_time: number | null;
  terminating_time: number | null;
  end_time: number | null;
}): StateTimes {
  return {
    start: row.start_time,
    running: row.running_time,
    terminating: row.terminating_time,
    end: row.end_time,
  };
}
