/** Routes: parses the hash of the address bar, and creates links. */

/** Filter of the list of runs. */
export interface RunFilter {
  readonly state: 'all' | 'active' | 'completed';
  readonly jobId?: number | undefined;
  /** Page token; undefined for the first page. */
  readonly pageToken?: string | undefined;
}

export interface JobFilter {
  readonly name?: string | undefined;
  readonly pageToken?: string | undefined;
}

export type Route =
  | { readonly page: 'runs'; readonly filter: RunFilter }
  /** `runId` is a run or one of its task runs. */
  | { readonly page: 'run'; readonly runId: number }
  | { readonly page: 'jobs'; readonly filter: JobFilter }
  | { readonly page: 'job'; readonly jobId: number }
  | { readonly page: 'clusters'; readonly after: string | undefined }
  | { readonly page: 'cluster'; readonly clusterId: string }
  | { readonly page: 'nodes' }
  | { readonly page: 'dashboards'; readonly after: string | undefined }
  | { readonly page: 'dashboard'; readonly dashboardId: string }
  | { readonly page: 'unknown'; readonly address: string };

/**
 * Patterns of addresses; the first match wins. `run_page_url` has both forms of a run; old links have no job.
 */
const routePatterns: readonly (readonly [
  RegExp,
  (found: RegExpExecArray, query: URLSearchParams) => Route,
])[] = [
  [/^(runs)?$/, (_found, query) => ({ page: 'runs', filter: parseRunFilter(query) })],
  [/^job\/\d+\/run\/(\d+)$/, ([, runId]) => ({ page: 'run', runId: Number(runId) })],
  [/^job\/run\/(\d+)$/, ([, runId]) => ({ page: 'run', runId: Number(runId) })],
  [/^job\/(\d+)$/, ([, jobId]) => ({ page: 'job', jobId: Number(jobId) })],
  [
    /^jobs$/,
    (_found, query) => ({
      page: 'jobs',
      filter: { name: query.get('name') ?? undefined, pageToken: query.get('after') ?? undefined },
    }),
  ],
  [/^clusters$/, (_found, query) => ({ page: 'clusters', after: query.get('after') ?? undefined })],
  [
    /^cluster\/([^/]+)$/,
    // Decoded like a query, which never throws.
    ([, id = '']) => ({ page: 'cluster', clusterId: new URLSearchParams(`id=${id}`).get('id') ?? '' }),
  ],
  [/^nodes$/, () => ({ page: 'nodes' })],
  [/^dashboards$/, (_found, query) => ({ page: 'dashboards', after: query.get('after') ?? undefined })],
  [/^dashboard\/([\da-f-]+)$/i, ([, dashboardId = '']) => ({ page: 'dashboard', dashboardId })],
];

/** Parses an address. @param hash `location.hash`: empty, or beginning with # */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  for (const [form, route] of routePatterns) {
    const found = form.exec(path);
    if (found !== null) return route(found, new URLSearchParams(query));
  }
  return { page: 'unknown', address: hash };
}

/** Link targets by page. */
export const linkTo = {
  runs: ({ state, jobId, pageToken }: RunFilter): string =>
    withQuery('#runs', { state: state === 'all' ? undefined : state, job: jobId, after: pageToken }),
  run: (jobId: number, runId: number): string => `#job/${jobId}/run/${runId}`,
  /** Link to a run of an unknown job. */
  anyRun: (runId: number): string => `#job/run/${runId}`,
  jobs: ({ name, pageToken }: JobFilter): string => withQuery('#jobs', { name, after: pageToken }),
  job: (jobId: number): string => `#job/${jobId}`,
  clusters: (after?: string): string => withQuery('#clusters', { after }),
  cluster: (clusterId: string): string => `#cluster/${encodeURIComponent(clusterId)}`,
  nodes: '#nodes',
  dashboards: (after?: string): string => withQuery('#dashboards', { after }),
  dashboard: (dashboardId: string): string => `#dashboard/${dashboardId}`,
} as const;

function parseRunFilter(query: URLSearchParams): RunFilter {
  const state = query.get('state');
  const job = query.get('job');
  return {
    state: state === 'active' || state === 'completed' ? state : 'all',
    jobId: job !== null && /^\d+$/.test(job) ? Number(job) : undefined,
    pageToken: query.get('after') ?? undefined,
  };
}

function withQuery(path: string, fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
