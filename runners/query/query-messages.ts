/** Messages between the service and a query process. */
import type { QueryResult } from '../../engine/ports/dashboards.ts';

export interface QueryLimits {
  readonly rowsMax: number;
  /** Maximum size of the rows as JSON. */
  readonly bytesMax: number;
  readonly memoryMb: number;
}

export type QueryProcessRequest =
  | { readonly type: 'run'; readonly sql: string; readonly limits: QueryLimits }
  | { readonly type: 'interrupt' };

export type QueryProcessResponse =
  | { readonly type: 'result'; readonly result: QueryResult }
  /** The query failed with this message of DuckDB. */
  | { readonly type: 'failed'; readonly message: string };
