/** Reading from the service: answers that are kept fresh while somebody looks, and what becomes of errors. */
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

/** How soon an answer is asked for again after none came, ms. */
const retryIntervalMs = 3_000;

/** Makes the store of answers. @param onError is told of every error of a read or an action */
export function createQueryClient(onError: (error: Error) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Whether there is a network says nothing of a service on this machine: only asking does.
      queries: { networkMode: 'always', retry: false },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

interface QueryOptions<Answer> {
  /** How often it is asked for again, ms, as long as this tab is seen; false for never. */
  readonly refetchInterval?: number | false | ((answer: Answer | undefined) => number | false);
  readonly enabled?: boolean;
  /** Another edition is asked for anew, e.g. the output of a task after its state has changed. */
  readonly revision?: string;
  /**
   * Shows the answer before while another is on its way, so that a table does not vanish with every filter.
   */
  readonly keepPrevious?: boolean;
}

/** What there is of an answer. */
export interface QueryResult<Answer> {
  readonly data: Answer | undefined;
  /** Why there is none, or none that is newer; nothing while that passes by itself. */
  readonly error: Error | null;
  readonly isFetching: boolean;
  /** The answer is that to another question, kept until the one to this question comes. */
  readonly isPlaceholderData: boolean;
  readonly refetch: () => Promise<unknown>;
}

/** A GET whose answer is kept, and asked for again where that is said, or when there was none. */
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
      // What is refused once is refused again; the reader may try again.
      if (state.error !== null) return isTransientError(state.error) ? retryIntervalMs : false;
      return typeof refetchInterval === 'function' ? refetchInterval(state.data) : refetchInterval;
    },
  });
  // Said once for the whole page, which tries again.
  return { data, error: isTransientError(error) ? null : error, refetch, isFetching, isPlaceholderData };
}

/** Whether an error passes by itself, so that trying again is all there is to do. */
function isTransientError(error: Error | null): boolean {
  return error instanceof ConnectionLost || (error instanceof ApiError && error.status === 503);
}

/** The error of something on this page that is tried again at this moment; null while all is well. */
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
