/** Wires the installation of cluster libraries: before a task starts, and after libraries are added. */
import { join } from 'node:path';
import type { LibraryPorts } from '../../api/http/ports.ts';
import type { Clock } from '../../engine/clock.ts';
import { createLibraryManager } from '../../engine/coordinator/library-manager.ts';
import { messageOf } from '../../engine/errors.ts';
import type { LibraryManager, LibraryCluster } from '../../engine/ports/libraries.ts';
import type { Log } from '../../engine/ports/log.ts';
import { userVariables } from '../../runners/process/task-environment.ts';
import type { Isolation } from '../../runners/process/isolation.ts';
import { createLibraryInstaller } from '../../runners/libraries/installer.ts';
import type { OpenDatabase } from '../../storage/postgres/database.ts';
import { createLibraryReader, createLibraryStore } from '../../storage/postgres/libraries/libraries.ts';
import { createPathResolver } from '../../storage/files/path-resolver.ts';
import type { ObjectStore } from '../../storage/files/object-store.ts';
import type { Roots } from '../../storage/files/roots.ts';
import type { Config } from '../config.ts';
import { libraryDirectory } from './cache-directories.ts';

export interface Libraries {
  readonly libraryManager: LibraryManager;
  readonly ports: LibraryPorts;
  /** Continues installations that an earlier engine did not finish. */
  resume(): Promise<void>;
  /** Starts no more installations; running installers continue. */
  close(): void;
}

export interface LibraryDependencies {
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly roots: Roots;
  readonly objects: ObjectStore | undefined;
  readonly isolation: Isolation;
  readonly clock: Clock;
  readonly log: Log;
}

export function createLibraries({
  config,
  database: { db },
  roots,
  objects,
  isolation,
  clock,
  log,
}: LibraryDependencies): Libraries {
  const store = createLibraryStore(db, clock, log);
  const reader = createLibraryReader(db);
  const directory = libraryDirectory(config.dataDirectory);
  const locate = createPathResolver(roots, objects);
  const installer = createLibraryInstaller({
    directory,
    isolation,
    locate: (uri) => locate(uri, 'entry'),
    stopGraceMs: config.stopGraceMs,
    clock,
    environment: {
      ...config.taskEnvironment,
      ...userVariables(isolation.user, join(directory, 'home')),
      ...config.libraryEnvironment,
    },
  });
  const libraryManager = createLibraryManager({ store, installer, clock });
  let closed = false;
  const startInstallation = (cluster: LibraryCluster): void => {
    if (closed) return;
    reader
      .getClusterVariables(cluster.clusterId)
      .then((environment) =>
        libraryManager.ensureInstalled({
          cluster,
          environment,
          wanted: [],
          directory: async () => join(directory, 'clusters', cluster.clusterId),
          signal: new AbortController().signal,
        }),
      )
      .catch((error: unknown) => {
        if (!closed)
          log.warn(
            { cluster_id: cluster.clusterId, error: messageOf(error) },
            'Installation of the cluster libraries failed; the next task on this cluster retries it.',
          );
      });
  };
  return {
    libraryManager,
    ports: { libraries: store, libraryStates: reader, startInstallation },
    async resume() {
      for (const cluster of await reader.listClustersToInstall()) startInstallation(cluster);
    },
    close() {
      closed = true;
    },
  };
}
