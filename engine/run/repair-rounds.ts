/**
 * The rounds of a run: its first one, and one for each time that it was repaired. A round ends where the run
 * was over.
 */
import type { RunParameters } from './parameters.ts';
import type { LatestRepair, Progress, Run, RunWithTasks, TaskRun } from './run.ts';

/** A stored repair: the round that it began, and how the run stood before. */
export interface Repair {
  readonly repairId: number;
  /** Epoch ms. */
  readonly startTime: number;
  /** The end of the round before; only its state, result, message and end time are kept. */
  readonly ended: Progress;
  /** Parameters that the attempts of the round before were given. */
  readonly earlierParameters: RunParameters | undefined;
}

/** One round as people look at it. */
export interface RepairRound {
  /** Undefined for the first one. */
  readonly repairId: number | undefined;
  /** Where the run stood at its end, or stands now; starts when the round did. */
  readonly progress: Progress;
  /** The attempts that were made in it. */
  readonly taskRunIds: readonly number[];
}

/**
 * When the latest round began (epoch ms): timeouts and health rules count from here, not from a wait in the
 * queue.
 */
export function roundStartOf({ repair, admittedTime, progress }: Run): number | undefined {
  return repair?.startTime ?? admittedTime ?? progress.startTime;
}

/**
 * How long a run took with all its repairs, in milliseconds, without the time between them (spec 2.5
 * run_duration); undefined while it is not over.
 */
export function runDurationOf(run: Run): number | undefined {
  const start = roundStartOf(run);
  const { endTime } = run.progress;
  if (start === undefined || endTime === undefined) return undefined;
  return (run.repair?.earlierDuration ?? 0) + Math.max(0, endTime - start);
}

/**
 * Whether an attempt was made in a round that the repair began, or later: ids rise, and a repair takes its
 * own before those of its attempts.
 */
function isSinceRepair({ repairId }: { readonly repairId: number }, taskRunId: number): boolean {
  return taskRunId > repairId;
}

/** Whether an attempt was made in the latest round. All others are over and stay as they are. */
export function isOfLatestRound({ repair }: Run, { runId }: TaskRun): boolean {
  return repair === undefined || isSinceRepair(repair, runId);
}

/** All rounds of a run, oldest first. @param repairs all of them, oldest first */
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
 * A run as an attempt knew it: with the parameters and the repair of its own round, and without the attempts
 * of later ones.
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
