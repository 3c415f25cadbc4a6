/** What the engine and a runner's thread say to each other over the port of one attempt. */
import type { Limits } from '../../engine/limits.ts';
import type { TaskAssignment } from '../../engine/run/assignment.ts';
import type { ChildRunResult, ChildRunRequest } from '../../engine/run/child-run.ts';
import type { Isolation } from '../process/isolation.ts';
import type { MessagePort } from 'node:worker_threads';
import type { LocateTarget } from '../contract.ts';

/** What every attempt is told about this engine. */
export interface RunnerSettings {
  /** The whole environment that tasks get: nothing of the service's own. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
  /** Milliseconds between SIGTERM and SIGKILL when a task is stopped. */
  readonly stopGraceMs: number;
  /** Largest size of stdout and stderr, each, in bytes. */
  readonly logBytesMax: number;
  readonly isolation: Isolation;
  readonly limits: Pick<
    Limits,
    'notebookResultBytes' | 'notebookCellBytes' | 'taskValueBytes' | 'taskValuesBytes'
  >;
}

/** One attempt handed to a thread. */
export interface AttemptRequest {
  readonly assignment: TaskAssignment;
  readonly settings: RunnerSettings;
  readonly port: MessagePort;
  /** True when it was asked to stop before it reached the thread. */
  readonly stopRequested: boolean;
}

export type EngineMessage =
  | { readonly type: 'stop' }
  /** Is the thread still there? */
  | { readonly type: 'ping' }
  | { readonly type: 'located'; readonly id: number; readonly path: string }
  | { readonly type: 'not-located'; readonly id: number; readonly message: string }
  | { readonly type: 'launched'; readonly id: number; readonly end: ChildRunResult };

export type RunnerMessage =
  | { readonly type: 'locate'; readonly id: number; readonly uri: string; readonly what: LocateTarget }
  /** `stopped`: only to be cancelled, if it was launched before. */
  | {
      readonly type: 'launch';
      readonly id: number;
      readonly key: string;
      readonly request: ChildRunRequest;
      readonly stopped: boolean;
    }
  | { readonly type: 'stop-launch'; readonly id: number }
  | { readonly type: 'pong' }
  | { readonly type: 'log'; readonly line: string };
