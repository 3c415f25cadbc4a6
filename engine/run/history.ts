/**
 * What happened to a run and to its attempts, in the order of time: read from the stamps that they carry.
 * Pure.
 */
import type { Repair } from './rounds.ts';
import type { Progress, RunWithTasks } from './run.ts';

/** One thing that happened. */
export interface HistoryEvent {
  /** Epoch ms. */
  readonly time: number;
  readonly run_id: number;
  /** Of an attempt of a task; absent for what happened to the run. */
  readonly task_key?: string;
  readonly attempt_number?: number;
  readonly event:
    | 'STARTED'
    | 'ADMITTED'
    | 'RUNNING'
    | 'TERMINATING'
    | 'REPAIRED'
    | 'TERMINATED'
    | 'SKIPPED'
    | 'INTERNAL_ERROR';
  readonly result_state?: string;
  readonly message?: string;
}

/** @param repairs of the run, oldest first */
export function historyOf({ run, tasks }: RunWithTasks, repairs: readonly Repair[]): HistoryEvent[] {
  const events = [
    ...stampsOf(run.progress).map((event) => ({ run_id: run.runId, ...event })),
    ...(run.admittedTime === undefined
      ? []
      : [{ run_id: run.runId, time: run.admittedTime, event: 'ADMITTED' as const }]),
    ...repairs.flatMap((repair) => [
      ...ended(repair.ended).map((event) => ({ run_id: run.runId, ...event })),
      { run_id: run.runId, time: repair.startTime, event: 'REPAIRED' as const },
    ]),
    ...tasks.flatMap((task) =>
      stampsOf(task.progress).map((event) => ({
        run_id: task.runId,
        task_key: task.taskKey,
        attempt_number: task.attempt,
        ...event,
      })),
    ),
  ];
  return events.toSorted((one, other) => one.time - other.time);
}

type Happening = Omit<HistoryEvent, 'run_id' | 'task_key' | 'attempt_number'>;

function stampsOf(progress: Progress): Happening[] {
  const { startTime, runningTime, terminatingTime } = progress;
  return [
    ...at(startTime, 'STARTED'),
    ...at(runningTime, 'RUNNING'),
    ...at(terminatingTime, 'TERMINATING'),
    ...ended(progress),
  ];
}

function at(time: number | undefined, event: HistoryEvent['event']): Happening[] {
  return time === undefined ? [] : [{ time, event }];
}

function ended(progress: Progress): Happening[] {
  if (progress.endTime === undefined) return [];
  const { endTime: time, state: event, result, message } = progress;
  return [
    {
      time,
      event,
      ...(result !== undefined && { result_state: result }),
      ...(message !== '' && { message }),
    },
  ];
}
