/** What the service and a query process say to one another. */
import type { QueryResult } from '../../engine/ports/dashboards.ts';

export interface QueryLimits {
  readonly rowsMax: number;
  /** Of the rows as JSON. */
  readonly bytesMax: number;
  readonly memoryMb: number;
}

export type QueryProcessRequest =
  | { readonly type: 'run'; readonly sql: string; readonly limits: QueryLimits }
  | { readonly type: 'interrupt' };

export type QueryProcessResponse =
  | { readonly type: 'result'; readonly result: QueryResult }
  /** The query cannot be run; the message is DuckDB's. */
  | { readonly type: 'failed'; readonly message: string };
