/** Libraries of clusters: installation and state. Types only; storage/ and runners/ implement them. */
import type { LibraryFailure, LibraryPaths, LibraryStatus } from '../cluster/libraries.ts';
import type { Library } from '../job/cluster.ts';

/** A library, pinned to the files that were first installed. Later changes of a file affect no cluster. */
export interface PinnedLibrary {
  readonly library: Library;
  /** Absolute paths of the copied files in the cache; empty for packages that an installer downloads. */
  readonly files: readonly string[];
}

/** Installed libraries of a cluster. Immutable: an installation creates a new environment for later tasks. */
export interface ClusterEnvironment {
  readonly installed: readonly PinnedLibrary[];
  readonly paths: LibraryPaths;
}

/** A library of a cluster and its installation status. */
export interface LibraryState {
  readonly library: Library;
  readonly status: LibraryStatus;
  readonly messages: readonly string[];
  /** True when libraries/install added the library; it is installed again after a restart of the cluster. */
  readonly requested: boolean;
}

export interface ClusterLibraries {
  readonly states: readonly LibraryState[];
  readonly environment: ClusterEnvironment | undefined;
  /** Incremented by each change of the environment; 0 before the first. */
  readonly version: number;
}

export interface InstallRequest {
  /** Variables of the cluster. Installers receive PATH and those that start with PIP_. */
  readonly environment: Readonly<Record<string, string>>;
  /** Directory of the waiting attempt. It marks the processes of the installer. */
  readonly directory: string;
  readonly current: ClusterEnvironment;
  readonly wanted: readonly Library[];
  /** Receives status changes of the libraries. */
  readonly onProgress: (libraries: readonly Library[], status: 'RESOLVING' | 'INSTALLING') => Promise<void>;
}

export type InstallOutcome =
  /** The new environment: the current libraries and the wanted ones. */
  | { readonly kind: 'installed'; readonly environment: ClusterEnvironment }
  | { readonly kind: 'failed'; readonly failures: readonly LibraryFailure[] }
  | { readonly kind: 'stopped' };

/** Installs libraries into a cache that all clusters share. Repeated and concurrent calls install once. */
export interface LibraryInstaller {
  /** Installs libraries. Aborting `signal` stops the processes of the installers. */
  install(request: InstallRequest, signal: AbortSignal): Promise<InstallOutcome>;
  /** Stops the installer processes marked with a directory, including those of an earlier engine. */
  stopInstallers(directory: string): Promise<void>;
  /** Tells whether all paths are still cached, and extends their retention. */
  touchCached(paths: LibraryPaths): Promise<boolean>;
}

/** A cluster on which libraries are installed. */
export interface LibraryCluster {
  readonly clusterId: string;
  /** Changes with each restart, which removes the installed libraries. */
  readonly sparkContextId: string;
}

/** Store of the libraries of clusters. */
export interface LibraryStore {
  /** Returns the libraries of a cluster. After a restart: only the requested ones, PENDING. */
  getClusterLibraries(cluster: LibraryCluster): Promise<ClusterLibraries>;
  /** Adds missing libraries as PENDING; failed ones become PENDING again. */
  add(cluster: LibraryCluster, libraries: readonly Library[], requested: boolean, now: number): Promise<void>;
  setStatus(
    clusterId: string,
    libraries: readonly Library[],
    status: LibraryStatus,
    messages: readonly string[],
    now: number,
  ): Promise<void>;
  /**
   * Replaces the environment and marks its libraries INSTALLED; false when the environment is newer than
   * version `since`.
   */
  saveEnvironment(
    cluster: LibraryCluster,
    environment: ClusterEnvironment,
    since: number,
    now: number,
  ): Promise<boolean>;
  /** Removes libraries: installed ones with the next restart, all others at once. */
  remove(clusterId: string, libraries: readonly Library[], now: number): Promise<void>;
}

/** A cluster with the states of its libraries. */
export interface ClusterLibraryStates {
  readonly clusterId: string;
  readonly states: readonly LibraryState[];
}

/** Read access to the libraries of clusters, for the API. */
export interface LibraryReader {
  /** Finds a cluster; undefined when it does not exist. */
  findCluster(
    clusterId: string,
  ): Promise<(LibraryCluster & { readonly isAllPurpose: boolean; readonly isRunning: boolean }) | undefined>;
  /** Returns the spark_env_vars of a cluster. Installers receive some of them. */
  getClusterVariables(clusterId: string): Promise<Readonly<Record<string, string>>>;
  /** Returns the library states of a cluster; undefined when it does not exist. */
  findStates(clusterId: string): Promise<readonly LibraryState[] | undefined>;
  /** Lists the clusters that have libraries and are not terminated. */
  listStates(): Promise<readonly ClusterLibraryStates[]>;
  /** Lists running all-purpose clusters with requested libraries that are neither installed nor failed. */
  listClustersToInstall(): Promise<readonly LibraryCluster[]>;
}

/** Result of `LibraryManager.ensureInstalled`. */
export type EnsureInstalledResult =
  | { readonly kind: 'ready'; readonly paths: LibraryPaths }
  | { readonly kind: 'failed'; readonly message: string; readonly failures: readonly LibraryFailure[] }
  | { readonly kind: 'stopped' };

/** Libraries that a task needs on its cluster. */
export interface EnsureInstalledRequest {
  readonly cluster: LibraryCluster;
  readonly environment: Readonly<Record<string, string>>;
  /** Libraries of the task. */
  readonly wanted: readonly Library[];
  /** Returns the directory that marks the installer processes; called when a library must be installed. */
  readonly directory: () => Promise<string>;
  readonly signal: AbortSignal;
  /** Called once, before the first library is installed. */
  readonly onInstallStart?: () => Promise<void>;
}

/** Manages the libraries of clusters. */
export interface LibraryManager {
  /** Installs missing libraries; calls for the same cluster run one after the other. */
  ensureInstalled(request: EnsureInstalledRequest): Promise<EnsureInstalledResult>;
  /** Stops installers that an earlier engine started for an attempt that will not start any more. */
  stopInstallers(directory: string): Promise<void>;
  /** Returns the paths of the libraries that a cluster has now. */
  getPaths(cluster: LibraryCluster): Promise<LibraryPaths>;
}
