/**
 * What the operations ask of the world: types only. storage/ has what fits them, cli/ wires them together.
 */
import type { CancelPorts } from '../../engine/cancel.ts';
import type { Inventory } from '../../engine/cluster/inventory.ts';
import type { ClusterReader } from '../../engine/ports/clusters.ts';
import type { Clock } from '../../engine/clock.ts';
import type {
  ClassicDashboardStore,
  DashboardStore,
  QueryFiles,
  QueryRunner,
} from '../../engine/ports/dashboards.ts';
import type { ManagedFileStore, WorkspaceStore } from '../../engine/ports/files.ts';
import type { LaunchPorts } from '../../engine/launch.ts';
import type { TaskKindInfo } from '../../engine/job/task-kinds.ts';
import type { LibraryCluster, LibraryReader, LibraryStore } from '../../engine/ports/libraries.ts';
import type { Limits } from '../../engine/limits.ts';
import type { DestinationRules } from '../../engine/notification/destination.ts';
import type { DeliveryLog, DestinationStore } from '../../engine/ports/notifications.ts';
import type { LogReader, LogReadOptions } from '../../engine/ports/logs.ts';
import type {
  JobStore,
  NodeReader,
  PermissionReader,
  PermissionStore,
  RunTimeoutUpdate,
  RunReader,
  RunRemover,
  WorkspaceInfo,
} from '../../engine/ports/engine.ts';
import type { TaskValues } from '../../engine/run/dynamic-values.ts';
import type { NotebookReport, TaskOutput } from '../../engine/run/task-output.ts';
import type { NewToken, OwnedToken, Token, TokenChange } from '../../engine/token/token.ts';
import type { ClusterControl } from '../../engine/coordinator/all-purpose-clusters.ts';
import type { ClusterRules } from '../clusters/cluster-references.ts';
import type { PeoplePorts } from './people-ports.ts';

export type { WorkspaceInfo } from '../../engine/ports/engine.ts';

/** What the attempts left behind. All take the id of a task run. */
export interface OutputReader {
  readOutput(runId: number): Promise<TaskOutput | undefined>;
  /** The first `bytes` bytes of stdout and stderr, in that order; empty when there is nothing yet. */
  logs(
    runId: number,
    bytes: number,
    view: LogReadOptions,
  ): Promise<{ readonly text: string; readonly truncated: boolean }>;
  /** The values that it set for the tasks after it. */
  readTaskValues(runId: number): Promise<TaskValues>;
}

/** What the attempts of notebook tasks left behind. Both take the id of a task run. */
export interface NotebookReader {
  /**
   * Every cell with what it showed; undefined for a notebook that did not start. One that cannot be read says
   * so in its error.
   */
  report(runId: number): Promise<NotebookReport | undefined>;
  /**
   * The first `bytes` bytes of the notebook as it was when the attempt began; undefined when it did not get
   * that far.
   */
  source(runId: number, bytes: number): Promise<string | undefined>;
}

/** Removing a run that is over: what is stored of it, then its files. */
export interface RemovalPorts {
  readonly runs: RunRemover;
  readonly files: {
    /** By the id of a task run. */
    removeAttempt(runId: number): Promise<void>;
    removeCluster(clusterId: string): Promise<void>;
  };
}

/** The tokens of people, each owner's own. What is revoked or expired is no token any more. */
export interface TokenStore {
  /**
   * @throws ServiceError QUOTA_EXCEEDED when the owner has as many as may be; concurrent calls are counted
   * one after the other
   */
  create(token: NewToken, quota: Pick<Limits, 'tokensPerUser'>): Promise<Token>;
  /** Newest first. */
  listOf(principalId: number, now: number): Promise<readonly Token[]>;
  /** False when the owner has no such token. Owner undefined: whoever it is. */
  revoke(principalId: number | undefined, tokenId: string, now: number): Promise<boolean>;
  /**
   * By its id or the sha-256 of that; what it was before, or undefined when the owner has no such token.
   * Owner undefined: whoever it is.
   */
  change(
    principalId: number | undefined,
    tokenId: string,
    change: TokenChange,
    now: number,
  ): Promise<Token | undefined>;
  /** The tokens of everybody, newest first. */
  ofEverybody(
    filter: {
      readonly tokenId?: string | undefined;
      readonly createdById?: number | undefined;
      readonly createdByName?: string | undefined;
    },
    now: number,
  ): Promise<readonly OwnedToken[]>;
}

/** Where notices go, and what became of them. */
export interface NotificationPorts {
  readonly destinations: DestinationStore;
  readonly deliveries: DeliveryLog;
  readonly destinationRules: DestinationRules & { readonly limits: Limits };
  readonly clock: Clock;
}

/** Libraries of clusters. */
export interface LibraryPorts {
  readonly libraries: Pick<LibraryStore, 'add' | 'remove'>;
  readonly libraryStates: LibraryReader;
  /** Begins to install what was added; resolves nothing. */
  readonly startInstallation: (cluster: LibraryCluster) => void;
}

/** Everything that operations are made from; each takes the part that it needs. */
export interface OperationPorts extends NotificationPorts, PeoplePorts, LibraryPorts {
  readonly jobs: JobStore;
  readonly permissions: PermissionStore;
  /** Whom jobs run as; undefined while job access control is off, when they run as their creators. */
  readonly owners: PermissionReader['listOwners'] | undefined;
  readonly tokens: TokenStore;
  readonly runs: RunReader;
  readonly outputs: OutputReader;
  readonly logs: LogReader;
  readonly notebooks: NotebookReader;
  readonly launching: LaunchPorts;
  readonly cancelling: CancelPorts;
  readonly removing: RemovalPorts;
  readonly nodes: NodeReader;
  /**
   * Tells this node that the settings of a job have changed, and the timeouts of these active runs with them.
   */
  readonly onJobChanged: (updates: readonly RunTimeoutUpdate[]) => void;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly clusterRules: ClusterRules;
  /** All known task kinds: the built-in ones and those of plugins. */
  readonly kinds: readonly TaskKindInfo[];
  readonly workspaceInfo: WorkspaceInfo;
}

/** Clusters, and what they are made of. */
export interface ClusterPorts extends Pick<OperationPorts, 'limits' | 'permissions'> {
  readonly clusters: ClusterReader;
  readonly control: ClusterControl;
  readonly inventory: Inventory;
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
}
