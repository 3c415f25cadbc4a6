/**
 * The rows that a widget shows: asked for again when a filter changes, and given up when nobody looks any
 * more.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Rows, WidgetQuery } from '../api/dashboard-documents.ts';
import { useSession } from '../session.tsx';

/** What filters are set to: dataset -> keyword -> value. What is not set is as the dashboard begins. */
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

/** @param query what the widget asks for; undefined for nothing */
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
    // What is shown stays until it is asked for again: data changes with the files, not with the clock.
    staleTime: 60_000,
  });
  return { data, error, isStale: isPlaceholderData, refetch };
}
