/** Kysely types of the tables of cluster libraries. */
import type { Generated } from 'kysely';
import type { LibraryPaths, LibraryStatus } from '../../../engine/cluster/libraries.ts';
import type { Library } from '../../../engine/job/cluster.ts';
import type { PinnedLibrary } from '../../../engine/ports/libraries.ts';
import type { JsonColumn } from '../json-column.ts';

export interface ClusterLibraryTable {
  cluster_id: string;
  library_key: string;
  position: Generated<number>;
  library: JsonColumn<Library>;
  status: LibraryStatus;
  messages: string[];
  /** True when libraries/install requested it; false when only a task needs it. */
  requested: boolean;
  /** The Spark context (start of the cluster) to which the row belongs. */
  spark_context_id: string;
  changed_time: number;
}

export interface ClusterEnvironmentTable {
  cluster_id: string;
  version: number;
  spark_context_id: string;
  installed: JsonColumn<readonly PinnedLibrary[]>;
  paths: JsonColumn<LibraryPaths>;
}

export interface LibraryTables {
  cluster_libraries: ClusterLibraryTable;
  cluster_environments: ClusterEnvironmentTable;
}
