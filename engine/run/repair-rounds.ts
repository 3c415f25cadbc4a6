/** Rounds of a run: the first one and one for each repair. A round ends when the run is over. */
import type { JobSettings } from '../job/settings.ts';
import type { RunParameters } from './parameters.ts';
import type { LatestRepair, Progress, Run, RunWithTasks, TaskRun } from './run.ts';

/** A stored repair: the start of its round and the end of the round before. */
export interface Repair {
  readonly repairId: number;
  /** Epoch ms. */
  readonly startTime: number;
  /** The end of the round before; its state, result, message, explanation and end time are kept. */
  readonly ended: Progress;
  /** Parameters of the attempts of the round before. */
  readonly earlierParameters: RunParameters | undefined;
  /** Settings of the round before; undefined when the repair kept them. */
  readonly earlierSettings?: JobSettings | undefined;
}

/** One round of a run. */
export interface RepairRound {
  /** Undefined for the first one. */
  readonly repairId: number | undefined;
  /** Progress of the run at the end of the round, or now; it starts with the round. */
  readonly progress: Progress;
  /** Attempts of the round. */
  readonly taskRunIds: readonly number[];
}

/**
 * Returns the start of the latest round (epoch ms), without its wait in the queue. Timeouts and health rules
 * count from here.
 */
export function roundStartOf({ repair, admittedTime, progress }: Run): number | undefined {
  if (repair === undefined) return admittedTime ?? progress.startTime;
  // An earlier admission belongs to an earlier round.
  return Math.max(repair.startTime, admittedTime ?? 0);
}

/** Returns when the latest round entered the queue or started (epoch ms). */
export function queueEntryTimeOf({ repair, progress }: Run): number {
  return repair?.startTime ?? progress.startTime ?? 0;
}

/**
 * Returns the duration of a run with all its repairs in milliseconds, without the time between them (spec 2.5
 * run_duration); undefined while the run is active.
 */
export function runDurationOf(run: Run): number | undefined {
  const start = roundStartOf(run);
  const { endTime } = run.progress;
  if (start === undefined || endTime === undefined) return undefined;
  return (run.repair?.earlierDuration ?? 0) + Math.max(0, endTime - start);
}

/**
 * Returns whether an attempt belongs to a repair or a later one: the id of a repair precedes its attempts.
 */
function isSinceRepair({ repairId }: { readonly repairId: number }, taskRunId: number): boolean {
  return taskRunId > repairId;
}

/** Returns whether an attempt belongs to the latest round. All others are over. */
export function isOfLatestRound({ repair }: Run, { runId }: TaskRun): boolean {
  return repair === undefined || isSinceRepair(repair, runId);
}

/**
 * Returns the number of retries before an attempt within its round, 0 for the first attempt of a run or repair
 * (spec 2.5 attempt_number). `attempt` counts on over all rounds.
 * @param tasks all attempts of the run up to this one
 */
export function retryNumberOf(tasks: readonly TaskRun[], { taskKey, attempt, dueTime }: TaskRun): number {
  // Only a retry has a due time.
  if (dueTime === undefined) return 0;
  const before = tasks.find((task) => task.taskKey === taskKey && task.attempt === attempt - 1);
  return before === undefined ? attempt : 1 + retryNumberOf(tasks, before);
}

/** Returns all rounds of a run, oldest first. @param repairs all of them, oldest first */
export function roundsOf({ run, tasks }: RunWithTasks, repairs: readonly Repair[]): RepairRound[] {
  return [undefined, ...repairs].map((repair, index) => {
    const following = repairs[index];
    const startTime = repair?.startTime ?? run.progress.startTime;
    const progress: Progress = { ...(following?.ended ?? run.progress), startTime };
    const ids = tasks
      .map((task) => task.runId)
      .filter(
        (id) =>
          (repair === undefined || isSinceRepair(repair, id)) &&
          (following === undefined || !isSinceRepair(following, id)),
      );
    return { repairId: repair?.repairId, progress, taskRunIds: ids.toSorted((one, other) => one - other) };
  });
}

/**
 * Returns a run as it was for an attempt: with the settings, the parameters and the repair of that round,
 * without attempts of later rounds.
 * @param repairs all of them, oldest first
 */
export function runAsOfAttempt(
  taskRunId: number,
  { run, tasks }: RunWithTasks,
  repairs: readonly Repair[],
): RunWithTasks {
  const rounds = repairs.filter((repair) => isSinceRepair(repair, taskRunId)).length;
  const following = repairs[rounds];
  if (following === undefined) return { run, tasks };
  return {
    run: {
      ...run,
      settings:
        repairs.slice(rounds).find(({ earlierSettings }) => earlierSettings !== undefined)?.earlierSettings ??
        run.settings,
      overridingParameters: following.earlierParameters,
      repair: latestRepairOf(run, repairs.slice(0, rounds)),
    },
    tasks: tasks.filter(({ runId }) => !isSinceRepair(following, runId)),
  };
}

function latestRepairOf({ progress }: Run, repairs: readonly Repair[]): LatestRepair | undefined {
  const latest = repairs.at(-1);
  if (latest === undefined) return undefined;
  const durations = repairs.map(
    ({ ended }, index) => (ended.endTime ?? 0) - (repairs[index - 1]?.startTime ?? progress.startTime ?? 0),
  );
  return {
    repairId: latest.repairId,
    count: repairs.length,
    startTime: latest.startTime,
    earlierDuration: durations.reduce((sum, duration) => sum + Math.max(0, duration), 0),
  };
}
