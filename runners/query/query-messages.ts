/** What the service and a query process say to one another. */
import type { QueryResult } from '../../engine/ports/dashboards.ts';

export interface QueryLimits {
  readonly rows: number;
  /** Of the rows as JSON. */
  readonly bytes: number;
  readonly megabytes: number;
}

export type ToProcess =
  | { readonly type: 'run'; readonly sql: string; readonly limits: QueryLimits }
  | { readonly type: 'interrupt' };

export type FromProcess =
  | { readonly type: 'result'; readonly result: QueryResult }
  /** The query cannot be run; the message is DuckDB's. */
  | { readonly type: 'failed'; readonly message: string };
