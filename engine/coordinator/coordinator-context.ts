/** Ports of the coordinator, and the operations that its parts share. */
import type { Clock } from '../clock.ts';
import type { LaunchPorts } from '../launch.ts';
import type { Limits } from '../limits.ts';
import type { ComputePorts } from '../ports/clusters.ts';
import type { ClusterStore } from '../ports/clusters.ts';
import type { Log } from '../ports/log.ts';
import type { PermissionReader } from '../ports/permissions.ts';
import type { WorkspaceInfo } from '../run/workspace-info.ts';
import type { TaskPool } from '../ports/task-pool.ts';
import type { RunDirectories } from '../ports/attempts.ts';
import type { LibraryManager } from '../ports/libraries.ts';
import type { UpdatePlanner } from '../ports/pipelines.ts';
import type { RunStore } from '../ports/runs.ts';
import type { StopReason } from '../run/states.ts';
import type { ExecutionEvent } from './execution-events.ts';
import type { RunEndListeners } from './run-end-listeners.ts';
import type { RunExecution } from './run-execution.ts';

export interface CoordinatorPorts {
  readonly runs: RunStore;
  readonly clusters: ClusterStore;
  readonly compute: ComputePorts;
  readonly libraryManager: LibraryManager;
  readonly pool: TaskPool;
  readonly directories: RunDirectories;
  readonly workspace: WorkspaceInfo;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeId: string;
  /** Name of this machine, for explanations. */
  readonly hostName?: string | undefined;
  /** Returns the data directory while its disk is full. */
  readonly findFullDisk?: (() => string | undefined) | undefined;
  /** Start-up time of a simulated cluster, in milliseconds. */
  readonly clusterStartMs: number;
  /** Returns `length` random characters of a-z0-9. */
  readonly randomString: (length: number) => string;
  readonly limits: Limits;
  /** Permissions on jobs; undefined while job access control is off. */
  readonly permissions?: PermissionReader | undefined;
  /** Prepares the updates of pipeline tasks. */
  readonly updatePlanner?: UpdatePlanner | undefined;
  /** Listeners to the ends of this node's runs. */
  readonly runEndListeners: RunEndListeners;
  /** Called when a run has ended and its capacity is free. */
  readonly onCapacityFreed: () => void;
}

/** Ports and operations of the coordinator. Each function takes the part that it uses. */
export interface CoordinatorContext extends CoordinatorPorts {
  /** Adds an event to the queue of a run. */
  readonly post: (execution: RunExecution, event: ExecutionEvent) => void;
  /** Stops driving a run; another engine adopts it, or this one resumes it. */
  readonly release: (execution: RunExecution) => void;
  /** Stops a run whose stop is stored, if this node drives it or serves the queue in which it waits. */
  readonly stopRun: (runId: number, reason: StopReason, message?: string) => void;
  /** Ports for retries and child runs. */
  readonly launchPorts: LaunchPorts;
  /** True while the node waits for its running tasks before it stops: no other task begins. */
  readonly isDraining: () => boolean;
}

/** Returns whether tasks of a run may not begin because this node drains. A running task's child runs may. */
export function isBlockedByDrain(
  c: Pick<CoordinatorContext, 'isDraining'>,
  { run }: Pick<RunExecution, 'run'>,
): boolean {
  return c.isDraining() && run.parentTaskRun === undefined;
}
