/**
 * What the engine asks of the world about libraries: who installs them, and who remembers what a cluster has.
 * Types only.
 */
import type { LibraryFailure, LibraryPaths, LibraryStatus } from '../cluster/libraries.ts';
import type { Library } from '../job/cluster.ts';

/**
 * A library with what it was when it was first installed on a cluster: a file that changes later changes no
 * cluster.
 */
export interface PinnedLibrary {
  readonly library: Library;
  /** Absolute paths in the cache of what a file or folder became; none for what an installer fetches. */
  readonly files: readonly string[];
}

/** What a cluster has. It never changes: what is added makes another one, for the tasks that start then. */
export interface ClusterEnvironment {
  readonly installed: readonly PinnedLibrary[];
  readonly paths: LibraryPaths;
}

/** A library of a cluster, and how far it is. */
export interface LibraryState {
  readonly library: Library;
  readonly status: LibraryStatus;
  readonly messages: readonly string[];
  /**
   * True when it was asked for by libraries/install: it belongs to the cluster, and is installed again when
   * that is restarted.
   */
  readonly requested: boolean;
}

export interface ClusterLibraries {
  readonly states: readonly LibraryState[];
  readonly environment: ClusterEnvironment | undefined;
  /** Raised with each change of the environment; 0 while there is none. */
  readonly version: number;
}

export interface InstallRequest {
  /** Variables of the cluster: installers see PATH and those that begin with PIP_. */
  readonly environment: Readonly<Record<string, string>>;
  /** The mark of its processes: the directory of the attempt that waits for it. */
  readonly directory: string;
  readonly current: ClusterEnvironment;
  readonly wanted: readonly Library[];
  /** Told how far these libraries are. */
  readonly onProgress: (libraries: readonly Library[], status: 'RESOLVING' | 'INSTALLING') => Promise<void>;
}

export type InstallOutcome =
  /** What the cluster has from now on: what was present, and what was wanted. */
  | { readonly kind: 'installed'; readonly environment: ClusterEnvironment }
  | { readonly kind: 'failed'; readonly failures: readonly LibraryFailure[] }
  | { readonly kind: 'stopped' };

/**
 * Installs libraries into a cache that all clusters share. Doing it again, or at the same time, installs
 * nothing twice.
 */
export interface LibraryInstaller {
  /** When `signal` is aborted the processes of the installers are ended. */
  install(order: InstallRequest, signal: AbortSignal): Promise<InstallOutcome>;
  /** Ends the processes of installers that carry this mark, whoever started them. */
  stopInstallers(directory: string): Promise<void>;
  /** Whether all of it is still in the cache; what is, is kept for another while. */
  touchCached(paths: LibraryPaths): Promise<boolean>;
}

/** A cluster, as libraries see it. */
export interface LibraryCluster {
  readonly clusterId: string;
  /** Another one after a restart, with which what was installed is gone. */
  readonly sparkContextId: string;
}

/** Libraries of clusters. */
export interface LibraryStore {
  /** What a cluster has. After its restart: what was requested, pending again, and nothing else. */
  getClusterLibraries(cluster: LibraryCluster): Promise<ClusterLibraries>;
  /** Adds libraries that the cluster does not have, PENDING; what failed before is pending again. */
  add(cluster: LibraryCluster, libraries: readonly Library[], requested: boolean, now: number): Promise<void>;
  setStatus(
    clusterId: string,
    libraries: readonly Library[],
    status: LibraryStatus,
    messages: readonly string[],
    now: number,
  ): Promise<void>;
  /**
   * Replaces the environment and marks what it has INSTALLED; false when somebody else has changed it since
   * that version.
   */
  saveEnvironment(
    cluster: LibraryCluster,
    environment: ClusterEnvironment,
    since: number,
    now: number,
  ): Promise<boolean>;
  /** What is installed leaves with the next restart, everything else at once. */
  remove(clusterId: string, libraries: readonly Library[], now: number): Promise<void>;
}

/** A cluster with the states of its libraries, for whoever looks at them. */
export interface ClusterLibraryStates {
  readonly clusterId: string;
  readonly states: readonly LibraryState[];
}

/** Libraries of clusters, for whoever looks at them. */
export interface LibraryReader {
  /** Undefined when there is no such cluster. */
  findCluster(
    clusterId: string,
  ): Promise<(LibraryCluster & { readonly isAllPurpose: boolean; readonly isRunning: boolean }) | undefined>;
  /** The spark_env_vars of a cluster as they were given: some of them reach installers. */
  getClusterVariables(clusterId: string): Promise<Readonly<Record<string, string>>>;
  /** Undefined when there is no such cluster. */
  findStates(clusterId: string): Promise<readonly LibraryState[] | undefined>;
  /** Of every cluster that is not terminated and has some. */
  listStates(): Promise<readonly ClusterLibraryStates[]>;
  /** All-purpose clusters that run and have requested libraries which are not settled. */
  listClustersToInstall(): Promise<readonly LibraryCluster[]>;
}

/** What became of the libraries of a task. */
export type EnsureInstalledResult =
  | { readonly kind: 'ready'; readonly paths: LibraryPaths }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

/** A cluster to be equipped. */
export interface EnsureInstalledRequest {
  readonly cluster: LibraryCluster;
  readonly environment: Readonly<Record<string, string>>;
  /** Of the task that is to start there. */
  readonly wanted: readonly Library[];
  /** The mark of the processes; asked for when something is to be installed. */
  readonly directory: () => Promise<string>;
  readonly signal: AbortSignal;
  /** Called once, when something is to be installed. */
  readonly onInstallStart?: () => Promise<void>;
}

/** Sees to it that clusters have their libraries. */
export interface LibraryManager {
  /** Installs what is missing; one after the other on a cluster. */
  ensureInstalled(order: EnsureInstalledRequest): Promise<EnsureInstalledResult>;
  /** Ends what an engine before this one may have begun for an attempt that is to start no more. */
  stopInstallers(directory: string): Promise<void>;
  /** The paths of what a cluster has now. */
  getPaths(cluster: LibraryCluster): Promise<LibraryPaths>;
}
