/** Hook that queries the rows of a widget, again after a filter change; unmounting cancels the query. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Rows, WidgetQuery } from '../api/dashboard-documents.ts';
import { useSession } from '../session.tsx';

/** Values of filters: dataset -> keyword -> value. Other parameters keep their defaults. */
export type FilterParameters = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface DashboardQuery {
  readonly dashboardId: string;
  readonly parameters: FilterParameters;
}

export const DashboardQueryContext = createContext<DashboardQuery>({ dashboardId: '', parameters: {} });

export interface RowsResult {
  readonly data: Rows | undefined;
  readonly error: Error | null;
  readonly isStale: boolean;
  readonly refetch: () => Promise<unknown>;
}

/** @param query query of the widget; undefined for none */
export function useRows(widgetName: string, query: WidgetQuery | undefined): RowsResult {
  const { apiClient } = useSession();
  const { dashboardId, parameters } = use(DashboardQueryContext);
  const dataset = query?.query.datasetName ?? '';
  const set = parameters[dataset] ?? {};
  const { data, error, isPlaceholderData, refetch } = useQuery<Rows>({
    queryKey: ['dashboard', dashboardId, dataset, widgetName, set],
    queryFn: ({ signal }) =>
      apiClient.post<Rows>(
        `2.0/modern/dashboards/${dashboardId}/query`,
        { dataset_name: dataset, widget_name: widgetName, parameters: set },
        signal,
      ),
    enabled: query !== undefined,
    placeholderData: keepPreviousData,
    // Data changes with files, not with time, so cached rows stay fresh for a while.
    staleTime: 60_000,
  });
  return { data, error, isStale: isPlaceholderData, refetch };
}
