/** Queries of the API: refreshed while the tab is visible, with retries of transient errors. */
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { useSession } from '../session.tsx';
import { ConnectionLost, ApiError, type QueryParameters } from './api-client.ts';

/** Interval of retries after a transient error, ms. */
const retryIntervalMs = 3_000;

/** Creates the query cache. @param onError receives every error of a query or mutation */
export function createQueryClient(onError: (error: Error) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The network state of the browser does not apply to a service on this machine.
      queries: { networkMode: 'always', retry: false },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

interface QueryOptions<Answer> {
  /** Refresh interval while the tab is visible, ms; false for none. */
  readonly refetchInterval?: number | false | ((answer: Answer | undefined) => number | false);
  readonly enabled?: boolean;
  /** Part of the cache key: a new value loads again, e.g. the output of a task after a state change. */
  readonly revision?: string;
  /** Keeps the previous data while the next loads, so that a table does not vanish with every filter. */
  readonly keepPrevious?: boolean;
}

/** State of a query. */
export interface QueryResult<Answer> {
  readonly data: Answer | undefined;
  /** Error of the last request; null for transient errors, which are retried. */
  readonly error: Error | null;
  readonly isFetching: boolean;
  /** True while `data` is that of the previous query. */
  readonly isPlaceholderData: boolean;
  readonly refetch: () => Promise<unknown>;
}

/** Runs a GET with caching, refresh and retries of transient errors. */
export function useApiQuery<Answer>(
  path: string,
  fields: QueryParameters = {},
  { refetchInterval = false, enabled = true, revision = '', keepPrevious = false }: QueryOptions<Answer> = {},
): QueryResult<Answer> {
  const { apiClient } = useSession();
  const { data, error, refetch, isFetching, isPlaceholderData } = useQuery<Answer>({
    queryKey: [path, fields, revision],
    queryFn: ({ signal }) => apiClient.get<Answer>(path, fields, signal),
    enabled,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: ({ state }) => {
      // Other errors are permanent; the user may retry.
      if (state.error !== null) return isTransientError(state.error) ? retryIntervalMs : false;
      return typeof refetchInterval === 'function' ? refetchInterval(state.data) : refetchInterval;
    },
  });
  // The banner of the page shows transient errors.
  return { data, error: isTransientError(error) ? null : error, refetch, isFetching, isPlaceholderData };
}

/** Returns true for an error that is worth an automatic retry. */
function isTransientError(error: Error | null): boolean {
  return error instanceof ConnectionLost || (error instanceof ApiError && error.status === 503);
}

/** Returns the transient error of an active query; null when there is none. */
export function useConnectionError(): Error | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  return useSyncExternalStore(
    subscribe,
    () =>
      cache.getAll().find((query) => query.isActive() && isTransientError(query.state.error))?.state.error ??
      null,
  );
}
