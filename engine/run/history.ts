/**
 * What happened to a run and to its attempts, in the order of time: read from the stamps that they carry.
 * Pure.
 */
import type { Repair } from './repair-rounds.ts';
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
    ...eventStampsOf(run.progress).map((event) => ({ run_id: run.runId, ...event })),
    ...(run.admittedTime === undefined
      ? []
      : [{ run_id: run.runId, time: run.admittedTime, event: 'ADMITTED' as const }]),
    ...repairs.flatMap((repair) => [
      ...endEventOf(repair.ended).map((event) => ({ run_id: run.runId, ...event })),
      { run_id: run.runId, time: repair.startTime, event: 'REPAIRED' as const },
    ]),
    ...tasks.flatMap((task) =>
      eventStampsOf(task.progress).map((event) => ({
        run_id: task.runId,
        task_key: task.taskKey,
        attempt_number: task.attempt,
        ...event,
      })),
    ),
  ];
  return events.toSorted((one, other) => one.time - other.time);
}

type EventStamp = Omit<HistoryEvent, 'run_id' | 'task_key' | 'attempt_number'>;

function eventStampsOf(progress: Progress): EventStamp[] {
  const { startTime, runningTime, terminatingTime } = progress;
  return [
    ...eventAt(startTime, 'STARTED'),
    ...eventAt(runningTime, 'RUNNING'),
    ...eventAt(terminatingTime, 'TERMINATING'),
    ...endEventOf(progress),
  ];
}

function eventAt(time: number | undefined, event: HistoryEvent['event']): EventStamp[] {
  return time === undefined ? [] : [{ time, event }];
}

function endEventOf(progress: Progress): EventStamp[] {
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
