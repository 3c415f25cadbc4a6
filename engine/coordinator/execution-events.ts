/** Events of an active run. The coordinator handles the events of a run one after the other. */
import type { JobSettings } from '../job/settings.ts';
import type { StopReason } from '../run/states.ts';
import type { TaskExecution } from './task-execution.ts';

export type ExecutionEvent =
  /** This node drives the run from now on. */
  | { readonly kind: 'accepted' }
  /** A task has moved on, or something else that a decision depends on. */
  | { readonly kind: 'decision needed' }
  /** A stop is stored. */
  | {
      readonly kind: 'stop requested';
      readonly reason: StopReason;
      /** State message of the run, when no user requested the stop. */
      readonly message?: string | undefined;
    }
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
