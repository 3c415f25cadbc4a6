/** Messages between the engine and a runner thread over the port of one attempt. */
import type { Limits } from '../../engine/limits.ts';
import type { TaskAssignment } from '../../engine/run/assignment.ts';
import type { ChildRunResult, ChildRunRequest } from '../../engine/run/child-run.ts';
import type { KnownPath } from '../../engine/run/known-paths.ts';
import type { Isolation } from '../process/isolation.ts';
import type { MessagePort } from 'node:worker_threads';
import type { LocateTarget } from '../contract.ts';

/** Settings of the engine that every attempt receives. */
export interface RunnerSettings {
  /** Base environment of tasks, without variables of the service. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly stopGraceMs: number;
  /** Maximum size of stdout and of stderr. */
  readonly logBytesMax: number;
  readonly isolation: Isolation;
  /** Python modules that warm runtimes import before tasks. */
  readonly warmImports?: readonly string[];
  /** Directories of the service, and the names that users know them by. */
  readonly knownPaths?: readonly KnownPath[];
  readonly limits: Pick<
    Limits,
    'notebookResultBytes' | 'notebookCellBytes' | 'taskValueBytes' | 'taskValuesBytes'
  >;
}

/** Request that starts one attempt in a thread. */
export interface AttemptRequest {
  readonly assignment: TaskAssignment;
  readonly settings: RunnerSettings;
  readonly port: MessagePort;
  /** True when the attempt was stopped before it reached the thread. */
  readonly stopRequested: boolean;
}

export type EngineMessage =
  | { readonly type: 'stop' }
  /** Liveness check of the thread. */
  | { readonly type: 'ping' }
  | { readonly type: 'located'; readonly id: number; readonly path: string }
  | { readonly type: 'not-located'; readonly id: number; readonly message: string }
  | { readonly type: 'launched'; readonly id: number; readonly end: ChildRunResult };

export type RunnerMessage =
  | { readonly type: 'locate'; readonly id: number; readonly uri: string; readonly what: LocateTarget }
  /** `stopped`: cancels a run that was launched before, and launches none. */
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
