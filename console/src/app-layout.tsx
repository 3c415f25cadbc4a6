/** Layout of every page: navigation, current user and connection banner. */
import { useEffect, useRef, useState } from 'react';
import { useApiQuery, useConnectionError } from './api/queries.ts';
import { ClusterPage } from './pages/cluster-page.tsx';
import { ClustersPage } from './pages/clusters-page.tsx';
import { DashboardPage } from './pages/dashboard-page.tsx';
import { DashboardsPage } from './pages/dashboards-page.tsx';
import { JobPage } from './pages/job-page.tsx';
import { JobsPage } from './pages/jobs-page.tsx';
import { NodesPage } from './pages/nodes-page.tsx';
import { RunPage } from './pages/run-page.tsx';
import { RunsPage } from './pages/runs-page.tsx';
import { UnknownPage } from './pages/unknown-page.tsx';
import { linkTo, parseRoute, type Route } from './route.ts';
import { useSession } from './session.tsx';

export function AppLayout() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const pageKey = pageKeyOf(route);
  // Screen readers and keyboard users continue at the new page, not at the link that they followed.
  const previousKey = useRef(pageKey);
  useEffect(() => {
    if (previousKey.current !== pageKey) main.current?.focus({ preventScroll: true });
    previousKey.current = pageKey;
  }, [pageKey]);
  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Header page={route.page} />
      <ConnectionBanner />
      <main id="main" tabIndex={-1} ref={main}>
        <Page route={route} />
      </main>
    </>
  );
}

/** Returns the route of the address bar. */
function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return parseRoute(hash);
}

/**
 * Returns the same key for addresses that differ only in a filter. All runs share one key, because a task run
 * opens within its run.
 */
function pageKeyOf(route: Route): string {
  if (route.page === 'dashboard') return `dashboard ${route.dashboardId}`;
  if (route.page === 'cluster') return `cluster ${route.clusterId}`;
  return route.page === 'job' ? `job ${route.jobId}` : route.page;
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'runs':
      return <RunsPage filter={route.filter} />;
    case 'run':
      return <RunPage runId={route.runId} />;
    case 'jobs':
      return <JobsPage filter={route.filter} />;
    case 'job':
      return <JobPage jobId={route.jobId} key={route.jobId} />;
    case 'clusters':
      return <ClustersPage after={route.after} />;
    case 'cluster':
      return <ClusterPage clusterId={route.clusterId} key={route.clusterId} />;
    case 'nodes':
      return <NodesPage />;
    case 'dashboards':
      return <DashboardsPage after={route.after} />;
    case 'dashboard':
      return <DashboardPage dashboardId={route.dashboardId} key={route.dashboardId} />;
    case 'unknown':
      return <UnknownPage address={route.address} />;
    default:
      return route satisfies never;
  }
}

function Header({ page }: { readonly page: Route['page'] }) {
  const { userName, signOut } = useSession();
  // Not every token may list nodes.
  const hasNodes = useApiQuery('2.0/nodes').data !== undefined;
  const current = (...pages: readonly Route['page'][]) =>
    pages.includes(page) ? { 'aria-current': 'page' as const } : {};
  return (
    <header className="top">
      <a className="brand" href={linkTo.runs({ state: 'all' })}>
        Runyard
      </a>
      <nav aria-label="Pages">
        <a href={linkTo.runs({ state: 'all' })} {...current('runs', 'run')}>
          Runs
        </a>
        <a href={linkTo.jobs({})} {...current('jobs', 'job')}>
          Jobs
        </a>
        <a href={linkTo.clusters()} {...current('clusters', 'cluster')}>
          Clusters
        </a>
        <a href={linkTo.dashboards()} {...current('dashboards', 'dashboard')}>
          Dashboards
        </a>
        {hasNodes && (
          <a href={linkTo.nodes} {...current('nodes')}>
            Nodes
          </a>
        )}
      </nav>
      <div className="who">
        <span title="Signed in as">{userName}</span>
        <button type="button" onClick={() => signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}

/** Shows a banner while the service does not answer. */
function ConnectionBanner() {
  const error = useConnectionError();
  return (
    <div role="status" className="interruption">
      {error !== null && (
        <p className="banner warm">
          <strong>{error.message}</strong> This page may be out of date. Retrying every few seconds.
        </p>
      )}
    </div>
  );
}
