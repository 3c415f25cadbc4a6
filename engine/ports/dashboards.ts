/** What is asked of the place where dashboards are kept: types only. storage/ implements them. */
import type { ClassicDashboard } from '../dashboard/classic.ts';

/** A classic dashboard as it was brought in. */
export interface StoredClassicDashboard {
  readonly document: ClassicDashboard;
  readonly creator: string;
  /** Epoch ms. */
  readonly createdTime: number;
}

export interface ClassicDashboardStore {
  /** False when the id is taken. */
  add(dashboard: StoredClassicDashboard): Promise<boolean>;
  /** By an id in small letters. */
  find(id: string): Promise<StoredClassicDashboard | undefined>;
  /** Newest first, with how many there are in all. @param name part of the name, in any case */
  list(page: {
    readonly name: string | undefined;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly count: number; readonly dashboards: readonly StoredClassicDashboard[] }>;
  /** False when there is none. */
  remove(id: string): Promise<boolean>;
}

/** A dashboard of the newer format (spec 2.12). */
export interface Dashboard {
  /** 32 hexadecimal digits. */
  readonly dashboardId: string;
  /** Of the classic dashboard that it was made from. */
  readonly sourceDashboardId: string;
  readonly displayName: string;
  /** Begins with a slash and ends with none, unless it is the root. */
  readonly parentPath: string;
  readonly warehouseId: string;
  readonly creator: string;
  /** Raised by each write. */
  readonly etag: number;
  /** Epoch ms. */
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly trashed: boolean;
  /** The document as JSON text. */
  readonly serialized: string;
  /** What was approximated or left out when it was made. */
  readonly warnings: readonly string[];
}

/** A dashboard without its document, as lists show it. */
export interface DashboardListEntry extends Omit<Dashboard, 'serialized' | 'warnings'> {
  /** In the order of creation. */
  readonly number: number;
}

export interface DashboardStore {
  /** False when another one that is not in the trash has this name in this folder. */
  add(dashboard: Dashboard): Promise<boolean>;
  find(dashboardId: string): Promise<Dashboard | undefined>;
  /** Newest first. @param before only those created before the one with this number */
  list(page: {
    readonly trashed: boolean;
    readonly before: number | undefined;
    readonly limit: number;
  }): Promise<DashboardListEntry[]>;
  /**
   * Moves it to the trash, where it stays; one that is there already is left as it is. False when there is
   * none.
   */
  trash(dashboardId: string, now: number): Promise<boolean>;
}

/** Where the files of a query are. */
export interface QueryFiles {
  /**
   * The path within managed_fs of a file, or of a pattern with `*`, proven to lie inside, without a slash in
   * front.
   * @throws ServiceError for a path that leads outside, and for a file that is not there
   */
  resolvePath(uri: string): Promise<string>;
}

/** Rows of a query, each a list in the order of the columns. */
export interface QueryResult {
  /** `type` as the database calls it, e.g. BIGINT or DATE. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there are more rows than are shown. */
  readonly truncated: boolean;
}

/**
 * Runs queries that are written for DuckDB, each where it can read managed_fs and nothing else, and write
 * nothing.
 */
export interface QueryRunner {
  /**
   * @param signal aborts when nobody waits any more @throws ServiceError for a query that fails, takes too
   * long, or finds no place to wait
   */
  run(sql: string, signal: AbortSignal): Promise<QueryResult>;
}
