/** Refused dashboard queries, and limits of their results and processes. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { ResponseBody } from '../../harness/api-client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService({
    limits: {
      ...defaultLimits,
      dashboardRows: 50,
      dashboardRowsBytes: 20_000,
      dashboardQuerySeconds: 4,
      dashboardQueryMegabytes: 128,
    },
  });
  await runyard.putFile(
    '/sales/2026.csv',
    'day,region,amount\n2026-01-01,north,10\n2026-01-02,south,20\n2026-02-01,north,5\n',
  );
  await writeFile(join(runyard.dataDirectory, 'secret.csv'), 'word\nhidden\n');
  await mkdir(join(runyard.dataDirectory, 'managed_fs/links'));
  await symlink(
    join(runyard.dataDirectory, 'secret.csv'),
    join(runyard.dataDirectory, 'managed_fs/links/out.csv'),
  );
});

afterAll(() => runyard.stop());

interface Setting {
  readonly parameters?: readonly object[];
  readonly visualization?: object;
}

/** Creates a dashboard with one query and returns its id and document. */
async function dashboard(
  query: string,
  { parameters = [], visualization = { type: 'TABLE', options: {} } }: Setting = {},
): Promise<{ readonly id: string; readonly document: ResponseBody }> {
  const { id } = await runyard.callOk('POST', '2.0/preview/sql/dashboards', {
    name: 'Queries',
    widgets: [
      {
        id: 1,
        options: {},
        visualization: {
          name: 'it',
          ...visualization,
          query: { id: 'q', name: 'Q', query, options: { parameters } },
        },
      },
    ],
  });
  const made = await runyard.callOk('POST', '2.0/modern/dashboards/migrate', { source_dashboard_id: id });
  return { id: made.dashboard_id, document: JSON.parse(made.serialized_dashboard) };
}

async function run(
  query: string,
  input: object = {},
  setting: Setting = {},
): Promise<{ status: number; body: ResponseBody }> {
  const { id, document } = await dashboard(query, setting);
  return runyard.call('POST', `2.0/modern/dashboards/${id}/query`, {
    dataset_name: document.datasets[0].name,
    ...input,
  });
}

const rowsOf = async (query: string, input: object = {}, setting: Setting = {}): Promise<unknown> => {
  const { status, body } = await run(query, input, setting);
  expect(body.message).toBeUndefined();
  expect(status).toBe(200);
  return body.rows;
};

const refused: readonly [string, RegExp][] = [
  ["SELECT * FROM '/etc/passwd'", /Table with name .etc.passwd does not exist.*Tables are files here/],
  ["SELECT * FROM read_text('/proc/self/environ')", /can only read files of managed_fs/],
  ["SELECT * FROM read_csv('managed_fs:/../secret.csv')", /leads outside managed_fs/],
  ["SELECT * FROM read_csv('../secret.csv')", /can only read files of managed_fs/],
  ["SELECT * FROM read_csv('managed_fs:/links/out.csv')", /leads outside managed_fs/],
  ["SELECT * FROM read_csv('managed_fs:/links/*.csv')", /can only read files of managed_fs/],
  ["SELECT * FROM glob('/etc/*')", /can only read files of managed_fs/],
  ["SELECT * FROM read_csv('managed_fs:/no.csv')", /File managed_fs:\/no.csv was not found/],
  ["SELECT * FROM 'http://127.0.0.1:1/x.csv'", /cannot be run/],
  ["SELECT * FROM read_csv('https://example.org/x.csv')", /cannot be run/],
  ["COPY (SELECT 1) TO 'x.csv'", /only a SELECT is run/],
  ["ATTACH 'x.db'", /only a SELECT is run/],
  ['INSTALL httpfs', /only a SELECT is run/],
  ['LOAD httpfs', /only a SELECT is run/],
  ["SET allowed_directories = ['/']", /only a SELECT is run/],
  ['PRAGMA database_list', /only a SELECT is run/],
  ['CREATE TABLE t AS SELECT 1', /only a SELECT is run/],
  ["EXPORT DATABASE 'x'", /only a SELECT is run/],
  ['SHOW allowed_directories', /only a SELECT is run/],
  ['SELECT * FROM (SHOW ALL TABLES)', /not allowed here/],
  ['SELECT 1; SELECT 2', /exactly one SELECT/],
  ['WITH a AS (SELECT 1) INSERT INTO a VALUES (1)', /cannot be run/],
  ["SELECT current_setting('allowed_directories')", /not allowed here/],
  ["SELECT 'allowed_directories'.`Current_Setting`()", /not allowed here/],
  ["SELECT IDENTIFIER('current_setting')('allowed_directories')", /not allowed here/],
  ["SELECT format_string('%s', current_setting('allowed_directories'))", /not allowed here/],
  ["SELECT CAST(current_setting('threads') AS INTERVAL DAY)", /not allowed here/],
  ['SELECT * FROM duckdb_settings()', /not allowed here/],
  ['SELECT * FROM pg_catalog.pg_settings', /not allowed here/],
  ['SELECT * FROM duckdb_secrets()', /not allowed here/],
  ["SELECT getenv('HOME')", /not allowed here/],
  ["SELECT * FROM query('SELECT * FROM duckdb_settings()')", /not allowed here/],
  ["SELECT E'\\\\' || current_setting('x') -- '", /not allowed here/],
  ["PIVOT 'managed_fs:/sales/2026.csv' ON region USING sum(amount)", /only a SELECT is run/],
  ['SELECT * FROM sales', /Table with name sales does not exist.*Tables are files here/],
  ['SELECT fom x', /cannot be run: .*Error/],
  ['SELECT {{ p }} {{# if }}', /cannot be run/],
  ['SELECT sum(sqrt(range)) FROM range(10000000000000)', /took longer than 4 seconds/],
  [
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t',
    /took longer than 4 seconds|Out of Memory/,
  ],
  [
    "SELECT list(repeat('x', 1000) || range) FROM range(10000000)",
    /Out of Memory|longer than|process that ran the query crashed/,
  ],
];

describe('hostile queries are refused, disclose nothing about the host, and write nothing', () => {
  test.each(refused)('%s', async (query, message) => {
    const { status, body } = await run(query);
    expect({ status, message: body.message }).toEqual({
      status: expect.toBeOneOf([400, 404]),
      message: expect.stringMatching(message),
    });
    expect(body.message).not.toContain(runyard.dataDirectory);
    expect((await readdir(join(runyard.dataDirectory, 'managed_fs'))).toSorted()).toEqual(['links', 'sales']);
  });
});

describe('limits', () => {
  test('rows above the limit are dropped and the result is marked as truncated', async () => {
    const { body } = await run('SELECT range AS n FROM range(100000000000)');
    expect(body.rows).toHaveLength(50);
    expect(body.truncated).toBe(true);
  });

  test('rows above the size limit are dropped and the result is marked as truncated', async () => {
    const { body } = await run("SELECT repeat('x', 5000) AS t FROM range(20)");
    expect([body.rows.length, body.truncated]).toEqual([3, true]);
  });
});

test('a single value above the size limit is dropped', async () => {
  const { status, body } = await run("SELECT repeat('x', 100000000) AS t");
  expect(status === 200 ? body : body.message).toEqual(
    status === 200
      ? { columns: expect.anything(), rows: [], truncated: true }
      : expect.stringMatching(/Out of Memory|process that ran the query crashed|longer than/),
  );
});

describe('a query process', () => {
  const processes = (): string[] =>
    execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)])
      .toString()
      .split('\n')
      .filter((line) => line.includes('query-process'))
      .map((line) => line.trim().split(' ')[0] ?? '');

  const runaway = 'SELECT sum(sqrt(range)) FROM range(10000000000000)';

  test('that is killed fails only its own query', async () => {
    const { id, document } = await dashboard(runaway);
    const before = new Set(processes());
    const answer = runyard.call('POST', `2.0/modern/dashboards/${id}/query`, {
      dataset_name: document.datasets[0].name,
    });
    await eventually(processes, { until: ({ length }) => length > 0 });
    // An idle process may be among them; all are killed.
    for (const pid of processes()) process.kill(Number(pid), 'SIGKILL');
    expect(before.size).toBeLessThanOrEqual(2);
    const { status, body } = await answer;
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(/process that ran the query crashed/),
    ]);
    expect(await rowsOf('SELECT 1 AS a')).toEqual([[1]]);
  });

  test('is released when the caller disconnects', async () => {
    const { id, document } = await dashboard(runaway);
    const away = new AbortController();
    const asked = Array.from({ length: 4 }, () =>
      fetch(`${runyard.url}/api/2.0/modern/dashboards/${id}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${runyard.token}` },
        body: JSON.stringify({ dataset_name: document.datasets[0].name }),
        signal: away.signal,
      }).catch(() => undefined),
    );
    await eventually(processes, { until: ({ length }) => length === 2 });
    away.abort();
    await Promise.all(asked);
    expect(await rowsOf('SELECT 1 AS a')).toEqual([[1]]);
  });
});

test('an unknown dashboard, dataset or widget is not found', async () => {
  const { id, document } = await dashboard('SELECT 1 AS a');
  const name = document.datasets[0].name;
  for (const [path, input] of [
    ['x', { dataset_name: name }],
    [id, { dataset_name: 'x' }],
    [id, { dataset_name: name, widget_name: 'x' }],
  ] as const) {
    expect((await runyard.call('POST', `2.0/modern/dashboards/${path}/query`, input)).status).toBe(404);
  }
});
