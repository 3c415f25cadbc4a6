/** Events of an active run. The coordinator handles the events of a run one after the other. */
import type { JobSettings } from '../job/settings.ts';
import type { StopReason } from '../run/states.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { recordWarning, setRunWarning } from './duration-warnings.ts';
import { stopRun, type RunExecution } from './run-execution.ts';
import { markClusterLost, stopTask, type TaskExecution } from './task-execution.ts';
import { recordRunTimeout, recordTaskTimeout, setRunTimeout, updateRunTimeouts } from './timeouts.ts';

export type ExecutionEvent =
  /** This node drives the run from now on. */
  | { readonly kind: 'accepted' }
  /** A task has moved on, or something else that a decision depends on. */
  | { readonly kind: 'decision needed' }
  /** A stop is stored. */
  | { readonly kind: 'stop requested'; readonly reason: StopReason }
  | { readonly kind: 'run timeout reached' }
  /** `runId` is the attempt that timed out; the task may have moved on to a retry. */
  | { readonly kind: 'task timeout reached'; readonly task: TaskExecution; readonly runId: number }
  | { readonly kind: 'task timeout stored'; readonly task: TaskExecution; readonly runId: number }
  | {
      readonly kind: 'timeouts updated';
      readonly settings: JobSettings;
      readonly revision: number | undefined;
    }
  /** `task` is undefined for the run itself. */
  | { readonly kind: 'duration exceeded'; readonly task: TaskExecution | undefined }
  | { readonly kind: 'cluster lost'; readonly task: TaskExecution; readonly message: string };

/** Handles one event. Never waits: slow effects post an event when they are done. */
export function handleEvent(
  c: Pick<CoordinatorContext, 'runs' | 'clock' | 'log' | 'post'>,
  decide: (execution: RunExecution) => void,
  execution: RunExecution,
  event: ExecutionEvent,
): void {
  switch (event.kind) {
    case 'accepted':
      setRunTimeout(c, execution);
      setRunWarning(c, execution);
      return decide(execution);
    case 'decision needed':
      return decide(execution);
    case 'stop requested':
      return stopRun(execution, event.reason) ? decide(execution) : undefined;
    case 'run timeout reached':
      return void recordRunTimeout(c, execution);
    case 'task timeout reached':
      return void recordTaskTimeout(c, execution, event.task, event.runId);
    case 'task timeout stored':
      return event.task.taskRun.runId === event.runId ? stopTask(event.task, 'timeout') : undefined;
    case 'timeouts updated':
      return updateRunTimeouts(c, execution, event.settings, event.revision);
    case 'duration exceeded':
      return void recordWarning(c, execution, event.task);
    case 'cluster lost':
      return markClusterLost(event.task, event.message);
    default:
      return event satisfies never;
  }
}
