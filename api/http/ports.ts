/** Ports of the API operations (types only). storage/ implements them, cli/ wires them. */
import type { CancelPorts } from '../../engine/cancel.ts';
import type { Inventory } from '../../engine/cluster/inventory.ts';
import type { ClusterPermissionStore } from '../../engine/ports/cluster-permissions.ts';
import type { ClusterReader } from '../../engine/ports/clusters.ts';
import type { Clock } from '../../engine/clock.ts';
import type {
  ClassicDashboardStore,
  DashboardStore,
  QueryFiles,
  QueryRunner,
} from '../../engine/ports/dashboards.ts';
import type { ManagedFileStore, UploadStore, WorkspaceStore } from '../../engine/ports/files.ts';
import type { LaunchPorts } from '../../engine/launch.ts';
import type { TaskKindInfo } from '../../engine/job/task-kinds.ts';
import type { LibraryCluster, LibraryReader, LibraryStore } from '../../engine/ports/libraries.ts';
import type { Limits } from '../../engine/limits.ts';
import type { DestinationRules } from '../../engine/notification/destination.ts';
import type { DeliveryLog, DestinationStore } from '../../engine/ports/notifications.ts';
import type { LogReader, LogReadOptions } from '../../engine/ports/attempt-logs.ts';
import type { JobStore, RunTimeoutUpdate } from '../../engine/ports/jobs.ts';
import type { NodeReader } from '../../engine/ports/nodes.ts';
import type { PermissionReader, PermissionStore } from '../../engine/ports/permissions.ts';
import type { SparkApplications } from '../../engine/ports/spark-applications.ts';
import type { RunReader } from '../../engine/ports/run-reader.ts';
import type { RunRemover } from '../../engine/ports/runs.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import type { TaskValues } from '../../engine/run/dynamic-values.ts';
import type { NotebookReport, TaskOutput } from '../../engine/run/task-output.ts';
import type { NewToken, OwnedToken, Token, TokenChange } from '../../engine/token/token.ts';
import type { InventoryControl } from '../../engine/coordinator/inventory-control.ts';
import type { ClusterControl } from '../../engine/coordinator/all-purpose-clusters.ts';
import type { ClusterRules } from '../clusters/cluster-references.ts';
import type { PeoplePorts } from './people-ports.ts';
import type { SparkPageTickets } from './spark-page-tickets.ts';

export type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';

/** Reads the output of attempts. All methods take the id of a task run. */
export interface OutputReader {
  readOutput(runId: number): Promise<TaskOutput | undefined>;
  /** Returns the first `bytes` bytes of stdout followed by stderr; empty when there is no output yet. */
  logs(
    runId: number,
    bytes: number,
    view: LogReadOptions,
  ): Promise<{ readonly text: string; readonly truncated: boolean }>;
  /** Returns the task values that the attempt set for downstream tasks. */
  readTaskValues(runId: number): Promise<TaskValues>;
}

/** Reads the output of notebook attempts. Both methods take the id of a task run. */
export interface NotebookReader {
  /**
   * Returns every cell with its output; undefined for a notebook that did not start. The error of an
   * unreadable report is part of the report.
   */
  report(runId: number): Promise<NotebookReport | undefined>;
  /**
   * Returns the first `bytes` bytes of the notebook snapshot of the attempt; undefined when the attempt ended
   * before the snapshot was taken.
   */
  source(runId: number, bytes: number): Promise<string | undefined>;
}

/** Deletes a terminated run: first its rows, then its files. */
export interface RemovalPorts {
  readonly runs: RunRemover;
  readonly files: {
    /** Removes the directory of an attempt, given the id of its task run. */
    removeAttempt(runId: number): Promise<void>;
    removeCluster(clusterId: string): Promise<void>;
  };
}

/** Stored tokens by owner. Revoked and expired tokens are excluded. */
export interface TokenStore {
  /**
   * @throws ServiceError QUOTA_EXCEEDED when the owner already holds the maximum; concurrent calls are
   * serialized
   */
  create(token: NewToken, quota: Pick<Limits, 'tokensPerUser'>): Promise<Token>;
  /** Lists the tokens of an owner, newest first. */
  listOf(principalId: number, now: number): Promise<readonly Token[]>;
  /** Revokes a token; false when the owner has no such token. `principalId` undefined: any owner. */
  revoke(principalId: number | undefined, tokenId: string, now: number): Promise<boolean>;
  /**
   * Changes a token, given its id or the SHA-256 of its id. Returns the previous token; undefined when the
   * owner has no such token. `principalId` undefined: any owner.
   */
  change(
    principalId: number | undefined,
    tokenId: string,
    change: TokenChange,
    now: number,
  ): Promise<Token | undefined>;
  /** Lists the tokens of all owners, newest first. */
  listAll(
    filter: {
      readonly tokenId?: string | undefined;
      readonly createdById?: number | undefined;
      readonly createdByName?: string | undefined;
    },
    now: number,
  ): Promise<readonly OwnedToken[]>;
}

/** Notification destinations and deliveries. */
export interface NotificationPorts {
  readonly destinations: DestinationStore;
  readonly deliveries: DeliveryLog;
  readonly destinationRules: DestinationRules & { readonly limits: Limits };
  readonly clock: Clock;
}

/** Ports of the operations on cluster libraries. */
export interface LibraryPorts {
  readonly libraries: Pick<LibraryStore, 'add' | 'remove'>;
  readonly libraryStates: LibraryReader;
  /** Starts the installation of pending libraries in the background. */
  readonly startInstallation: (cluster: LibraryCluster) => void;
}

/** Ports of all core operations; each operation takes the ones it uses. */
export interface OperationPorts extends NotificationPorts, PeoplePorts, LibraryPorts {
  readonly jobs: JobStore;
  readonly permissions: PermissionStore;
  /** Lists job owners, whom jobs run as; undefined while job access control is off (creators apply). */
  readonly owners: PermissionReader['listOwners'] | undefined;
  readonly tokens: TokenStore;
  readonly runs: RunReader;
  readonly outputs: OutputReader;
  readonly logs: LogReader;
  readonly notebooks: NotebookReader;
  readonly sparkApplications: SparkApplications;
  readonly launching: LaunchPorts;
  readonly cancelling: CancelPorts;
  readonly removing: RemovalPorts;
  readonly nodes: NodeReader;
  /** Notifies this node of changed job settings and of the changed timeouts of active runs. */
  readonly onJobChanged: (updates: readonly RunTimeoutUpdate[]) => void;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly clusterRules: ClusterRules;
  /** Task kinds: the built-in ones and those of plugins. */
  readonly kinds: readonly TaskKindInfo[];
  readonly workspaceInfo: WorkspaceInfo;
}

/** Ports of the operations on clusters, instance pools and policies. */
export interface ClusterPorts extends Pick<
  OperationPorts,
  'limits' | 'permissions' | 'sparkApplications' | 'workspaceInfo'
> {
  readonly clusters: ClusterReader;
  readonly clusterPermissions: ClusterPermissionStore;
  readonly control: ClusterControl;
  readonly inventory: Inventory;
  readonly inventoryControl: InventoryControl;
  readonly sparkPageTickets: Pick<SparkPageTickets, 'issue'>;
}

export interface WorkspacePorts {
  readonly workspace: WorkspaceStore;
}

export interface DashboardPorts extends WorkspacePorts, Pick<OperationPorts, 'clock' | 'limits'> {
  readonly classicDashboards: ClassicDashboardStore;
  readonly dashboards: DashboardStore;
  readonly queryFiles: QueryFiles;
  readonly queries: QueryRunner;
}

export interface ManagedFsPorts {
  readonly managedFiles: ManagedFileStore;
  readonly uploads: UploadStore;
}
