/** The tables of libraries as Kysely sees them; the truth is storage/migrations/library-tables.ts. */
import type { ColumnType, Generated } from 'kysely';
import type { LibraryPaths, LibraryStatus } from '../../../engine/cluster/libraries.ts';
import type { Library } from '../../../engine/job/cluster.ts';
import type { PinnedLibrary } from '../../../engine/ports/libraries.ts';

/** A JSONB column: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string, string>;

export interface ClusterLibraryTable {
  cluster_id: string;
  library_key: string;
  position: Generated<number>;
  library: Json<Library>;
  status: LibraryStatus;
  messages: string[];
  /** Asked for by libraries/install. */
  requested: boolean;
  /** The context of the cluster for which the row holds. */
  spark_context_id: string;
  changed_time: number;
}

export interface ClusterEnvironmentTable {
  cluster_id: string;
  version: number;
  spark_context_id: string;
  installed: Json<readonly PinnedLibrary[]>;
  paths: Json<LibraryPaths>;
}

export interface LibraryTables {
  cluster_libraries: ClusterLibraryTable;
  cluster_environments: ClusterEnvironmentTable;
}
