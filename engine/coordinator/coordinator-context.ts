/** What the parts of the coordinator share: the ports, and the verbs of the coordinator itself. */
import type { Clock } from '../clock.ts';
import type { ComputePorts, ClusterStore } from '../ports/clusters.ts';
import type { LaunchPorts } from '../launch.ts';
import type { LibraryManager } from '../ports/libraries.ts';
import type { Limits } from '../limits.ts';
import type { UpdatePlanner } from '../ports/pipelines.ts';
import type { Log } from '../ports/log.ts';
import type { PermissionReader } from '../ports/permissions.ts';
import type { WorkspaceInfo } from '../run/workspace-info.ts';
import type { TaskPool } from '../ports/task-pool.ts';
import type { RunDirectories } from '../ports/attempts.ts';
import type { StopReason } from '../run/states.ts';
import type { RunStore } from '../ports/runs.ts';
import type { RunExecution } from './run-execution.ts';
import type { RunEndListeners } from './run-end-listeners.ts';

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
  /** How long a simulated cluster takes to start, in milliseconds. */
  readonly clusterStartMs: number;
  /** `length` random characters of a-z0-9. */
  readonly randomString: (length: number) => string;
  readonly limits: Limits;
  /** Who may run what; undefined while job access control is off. */
  readonly permissions?: PermissionReader | undefined;
  /** Prepares the updates of pipeline tasks. */
  readonly updatePlanner?: UpdatePlanner | undefined;
  /** Where runs of this node are said to be over. */
  readonly runEndListeners: RunEndListeners;
  /** Called when a run is over: its place is free. */
  readonly onCapacityFreed: () => void;
}

/**
 * Whether no task of a run begins any more because this node drains: what a running task waits for begins all
 * the same.
 */
export function isBlockedByDrain(c: CoordinatorContext, { run }: RunExecution): boolean {
  return c.isDraining() && run.parentTaskRun === undefined;
}

export interface CoordinatorContext extends CoordinatorPorts {
  /** Has the run looked at again, after what is being decided about it now. */
  readonly advance: (active: RunExecution) => void;
  /** Stops driving a run, without a word about it: another engine does, or will. */
  readonly release: (active: RunExecution) => void;
  /** Stops a run whose time is over. */
  readonly stopOnTimeout: (active: RunExecution) => void;
  /** Stops a run whose stop has been noted, if this node drives it or serves the queue in which it waits. */
  readonly stopRun: (runId: number, reason: StopReason) => void;
  /** The door for retries, and for what a run_job_task starts. */
  readonly launchPorts: LaunchPorts;
  /** True once the node is stopping: nothing new is started or written. */
  readonly isClosing: () => boolean;
  /** True once the node waits for its running tasks, to stop then: no other task is started. */
  readonly isDraining: () => boolean;
}
