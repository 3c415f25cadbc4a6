/** The pages of the documentation in reading order: sidebar of the site, and order in which examples run. */

interface SidebarGroup {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const group = (text: string, folder: string, pages: Readonly<Record<string, string>>): SidebarGroup => ({
  text,
  items: Object.entries(pages).map(([page, title]) => ({ text: title, link: `/${folder}${page}` })),
});

export const sidebar: readonly SidebarGroup[] = [
  group('Start', 'guides/', {
    'first-job': 'First job',
    'command-line': 'Command line',
    'task-graphs': 'Several tasks',
    parameters: 'Parameters and task values',
    'runs-and-logs': 'Results and logs',
    console: 'Console',
    troubleshooting: 'Troubleshooting',
  }),
  group('Write work', 'guides/', {
    python: 'Python programs',
    notebooks: 'Python notebooks',
    'notebooks-sql-javascript': 'SQL and JavaScript notebooks',
    java: 'Java programs',
    spark: 'Spark',
    'spark-submit': 'Spark submit',
    'run-job': 'Jobs that start jobs',
    files: 'Files',
    libraries: 'Libraries',
    pipelines: 'Pipelines',
    plugins: 'Plugins',
  }),
  group('Run work', 'guides/', {
    schedules: 'Schedules',
    'retries-and-repair': 'Retries and repair',
    queues: 'Queues',
    clusters: 'Clusters',
    'pools-and-policies': 'Pools and policies',
    'warm-runtimes': 'Warm runtimes',
    'init-scripts': 'Init scripts',
    notifications: 'Notifications',
    dashboards: 'Dashboards',
  }),
  group('Administer', 'guides/', {
    permissions: 'Permissions',
    tokens: 'Tokens',
    users: 'Users and audit log',
    isolation: 'Task isolation',
    'several-engines': 'Several engines',
    clients: 'Existing clients',
  }),
  group('Reference', 'reference/', {
    operations: 'Operations',
    schemas: 'Schemas',
    fields: 'Documented fields',
    settings: 'Settings',
    limits: 'Limits',
    errors: 'Errors',
    failures: 'Failures',
    states: 'States',
    'task-kinds': 'Task kinds',
    scopes: 'Scopes',
    cli: 'Command line',
    dependencies: 'Dependencies',
  }),
  group('Background', '', {
    architecture: 'Architecture',
    operations: 'Operations manual',
    performance: 'Performance',
    security: 'Security',
    contributing: 'Contributing',
    glossary: 'Glossary',
    'spec-coverage': 'Spec coverage',
  }),
];

/** Paths of all pages below `docs/`, in reading order. */
export const pagePaths: readonly string[] = [
  'index.md',
  ...sidebar.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)),
];
