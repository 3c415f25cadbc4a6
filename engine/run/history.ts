/** History of a run and its attempts, from their timestamps. */
import type { Repair } from './repair-rounds.ts';
import type { Progress, RunWithTasks } from './run.ts';

/** Event of a run or of an attempt of a task. */
export interface HistoryEvent {
  /** Epoch ms. */
  readonly time: number;
  readonly run_id: number;
  /** Absent for an event of the run. */
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

/** Returns the events in chronological order. @param repairs repairs of the run, oldest first */
export function historyOf({ run, tasks }: RunWithTasks, repairs: readonly Repair[]): HistoryEvent[] {
  const events = [
    ...progressEventsOf(run.progress).map((event) => ({ run_id: run.runId, ...event })),
    ...(run.admittedTime === undefined
      ? []
      : [{ run_id: run.runId, time: run.admittedTime, event: 'ADMITTED' as const }]),
    ...repairs.flatMap((repair) => [
      ...endEventOf(repair.ended).map((event) => ({ run_id: run.runId, ...event })),
      { run_id: run.runId, time: repair.startTime, event: 'REPAIRED' as const },
    ]),
    ...tasks.flatMap((task) =>
      progressEventsOf(task.progress).map((event) => ({
        run_id: task.runId,
        task_key: task.taskKey,
        attempt_number: task.attempt,
        ...event,
      })),
    ),
  ];
  return events.toSorted((one, other) => one.time - other.time);
}

type TimedEvent = Omit<HistoryEvent, 'run_id' | 'task_key' | 'attempt_number'>;

function progressEventsOf(progress: Progress): TimedEvent[] {
  const { startTime, runningTime, terminatingTime } = progress;
  return [
    ...eventAt(startTime, 'STARTED'),
    ...eventAt(runningTime, 'RUNNING'),
    ...eventAt(terminatingTime, 'TERMINATING'),
    ...endEventOf(progress),
  ];
}

function eventAt(time: number | undefined, event: HistoryEvent['event']): TimedEvent[] {
  return time === undefined ? [] : [{ time, event }];
}

function endEventOf(progress: Progress): TimedEvent[] {
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
