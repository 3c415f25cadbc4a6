/** Handling of the events of an active run. */
import type { CoordinatorContext } from './coordinator-context.ts';
import { recordWarning, setRunWarning } from './duration-warnings.ts';
import type { ExecutionEvent } from './execution-events.ts';
import { stopRun, type RunExecution } from './run-execution.ts';
import { markClusterLost, stopTask } from './task-execution.ts';
import { recordRunTimeout, recordTaskTimeout, setRunTimeout, updateRunTimeouts } from './timeouts.ts';

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
      return stopRun(execution, event.reason, event.message) ? decide(execution) : undefined;
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
