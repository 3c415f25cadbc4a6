/** Dashboards and their queries. Types only; storage/ and runners/ implement them. */
import type { ClassicDashboard } from '../dashboard/classic.ts';

/** Row of an imported classic dashboard. */
export interface StoredClassicDashboard {
  readonly document: ClassicDashboard;
  readonly creator: string;
  /** Epoch ms. */
  readonly createdTime: number;
}

export interface ClassicDashboardStore {
  /** Stores a dashboard; false when its id is taken. */
  add(dashboard: StoredClassicDashboard): Promise<boolean>;
  /** Finds a dashboard by its id in lower case. */
  find(id: string): Promise<StoredClassicDashboard | undefined>;
  /**
   * Lists a page of dashboards, newest first, with the total count.
   * @param name part of the name, compared without regard to case
   */
  list(page: {
    readonly name: string | undefined;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly count: number; readonly dashboards: readonly StoredClassicDashboard[] }>;
  /** Removes a dashboard; false when it does not exist. */
  remove(id: string): Promise<boolean>;
}

/** A dashboard of the newer format (spec 2.12). */
export interface Dashboard {
  /** 32 hexadecimal digits. */
  readonly dashboardId: string;
  /** Id of the classic dashboard from which it was migrated. */
  readonly sourceDashboardId: string;
  readonly displayName: string;
  /** Starts with a slash and ends without one, except for the root. */
  readonly parentPath: string;
  readonly warehouseId: string;
  readonly creator: string;
  /** Incremented by each write. */
  readonly etag: number;
  /** Epoch ms. */
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly trashed: boolean;
  /** The document as JSON text. */
  readonly serialized: string;
  /** Differences from the classic dashboard: approximations and omissions. */
  readonly warnings: readonly string[];
}

/** A dashboard without its document, as lists show it. */
export interface DashboardListEntry extends Omit<Dashboard, 'serialized' | 'warnings'> {
  /** Sequence number in the order of creation. */
  readonly number: number;
}

export interface DashboardStore {
  /** Stores a dashboard; false when the name is taken in its folder by a dashboard outside the trash. */
  add(dashboard: Dashboard): Promise<boolean>;
  find(dashboardId: string): Promise<Dashboard | undefined>;
  /** Lists dashboards, newest first. @param before cursor: only dashboards with a smaller number */
  list(page: {
    readonly trashed: boolean;
    readonly before: number | undefined;
    readonly limit: number;
  }): Promise<DashboardListEntry[]>;
  /** Moves a dashboard to the trash. Idempotent; false when it does not exist. */
  trash(dashboardId: string, now: number): Promise<boolean>;
}

/** Resolves the files that a query reads. */
export interface QueryFiles {
  /**
   * Returns the path of a file, or of a pattern with `*`, relative to managed_fs.
   * @throws ServiceError for a path outside managed_fs and for a missing file
   */
  resolvePath(uri: string): Promise<string>;
}

/** Rows of a query; the values of each row are in the order of the columns. */
export interface QueryResult {
  /** `type` is the type name of the database, e.g. BIGINT or DATE. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** True when the query returned more rows than are shown. */
  readonly truncated: boolean;
}

/** Runs DuckDB queries. A query can read managed_fs and nothing else, and cannot write. */
export interface QueryRunner {
  /**
   * @param signal cancels the query when aborted
   * @throws ServiceError for a query that fails, exceeds its time limit, or finds the queue full
   */
  run(sql: string, signal: AbortSignal): Promise<QueryResult>;
}
