/** List of dashboards, newest first, with the import of classic ones. */
import type { DashboardList, DashboardSummary } from '../api/dashboard-documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { ImportDashboard } from '../dashboard/import-dashboard.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';

const columns: readonly Column<DashboardSummary>[] = [
  {
    name: 'Dashboard',
    show: ({ dashboard_id, display_name }) => (
      <a className="name" href={linkTo.dashboard(dashboard_id)}>
        {display_name}
      </a>
    ),
  },
  {
    name: 'Created',
    show: ({ create_time }) => (
      <time dateTime={create_time}>{create_time.slice(0, 16).replace('T', ' ')} UTC</time>
    ),
  },
  { name: 'Id', show: ({ dashboard_id }) => <code>{dashboard_id}</code> },
];

export function DashboardsPage({ after }: { readonly after: string | undefined }) {
  useTitle('Dashboards');
  const { data, error, refetch } = useApiQuery<DashboardList>(
    '2.0/modern/dashboards',
    { page_size: 25, page_token: after },
    { keepPrevious: true },
  );
  const firstPage = after === undefined ? undefined : linkTo.dashboards();
  return (
    <>
      <h1>Dashboards</h1>
      <div className="filters">
        <ImportDashboard />
      </div>
      {error !== null && (
        <ErrorMessage error={error} action="load the dashboards" retry={refetch} firstPage={firstPage} />
      )}
      {data === undefined && error === null && <Loading what="dashboards" />}
      {data !== undefined && (
        <>
          {data.dashboards.length === 0 ? (
            <p className="empty">
              There are no dashboards yet. Import the JSON document of a classic dashboard to migrate it.
            </p>
          ) : (
            <DataTable
              label="Dashboards, newest first"
              columns={columns}
              rows={data.dashboards}
              keyOf={({ dashboard_id }) => dashboard_id}
            />
          )}
          <Pager
            next={data.next_page_token === undefined ? undefined : linkTo.dashboards(data.next_page_token)}
            first={firstPage}
          />
        </>
      )}
    </>
  );
}
