/** Page of a dashboard: widgets, and warnings of its migration. */
import { useMemo } from 'react';
import type { DashboardDocument, StoredDashboard } from '../api/dashboard-documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { DashboardGrid } from '../dashboard/dashboard-grid.tsx';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';

export function DashboardPage({ dashboardId }: { readonly dashboardId: string }) {
  const { data, error, refetch } = useApiQuery<DashboardDocument>(
    `2.0/modern/dashboards/${encodeURIComponent(dashboardId)}`,
  );
  useTitle(data?.display_name ?? 'Dashboard');
  // The service stores only documents that its migration produced.
  const stored = useMemo(
    () => (data === undefined ? undefined : (JSON.parse(data.serialized_dashboard) as StoredDashboard)),
    [data],
  );
  return (
    <>
      <p className="crumbs">
        <a href={linkTo.dashboards()}>Dashboards</a>
      </p>
      <h1>{data?.display_name ?? 'Dashboard'}</h1>
      {error !== null && <ErrorMessage error={error} action="load the dashboard" retry={refetch} />}
      {data === undefined && error === null && <Loading what="the dashboard" />}
      {data?.lifecycle_state === 'TRASHED' && <p className="banner warm">This dashboard is in the trash.</p>}
      {data !== undefined && data.warnings.length > 0 && (
        <details className="banner warm">
          <summary>
            The migration approximated{' '}
            {data.warnings.length === 1 ? 'one element' : `${data.warnings.length} elements`}
          </summary>
          <ul>
            {[...new Set(data.warnings)].map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
      {data !== undefined && stored !== undefined && (
        <DashboardGrid dashboardId={data.dashboard_id} pages={stored.pages} />
      )}
    </>
  );
}
