/** Dashboard queries: files, parameters, widgets and SQL dialect. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { ResponseBody } from '../../harness/api-client.ts';
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

const file = "read_files('managed_fs:/sales/2026.csv', format => 'csv', header => true)";

describe('files', () => {
  test.each([
    [`SELECT region, sum(amount) AS s FROM ${file} GROUP BY region ORDER BY region`],
    ["SELECT region, sum(amount) AS s FROM 'managed_fs:/sales/2026.csv' GROUP BY region ORDER BY region"],
    ['SELECT region, sum(amount) AS s FROM csv.`managed_fs:/sales/*.csv` GROUP BY region ORDER BY region;'],
    [
      "-- 'managed_fs:/no.csv'\nSELECT region, sum(amount) AS s FROM read_csv('managed_fs:/x/../sales/2026.csv', header = true) GROUP BY region ORDER BY region",
    ],
  ])('%s', async (query) => {
    const { body } = await run(query);
    expect(body).toEqual({
      columns: [
        { name: 'region', type: 'VARCHAR' },
        { name: 's', type: 'HUGEINT' },
      ],
      rows: [
        ['north', 15],
        ['south', 20],
      ],
      truncated: false,
    });
  });

  test('a path used as a value is unchanged, and file names refer to managed_fs', async () => {
    expect(
      await rowsOf(
        "SELECT 'managed_fs:/sales/2026.csv' AS a, filename FROM read_csv('managed_fs:/sales/2026.csv', filename = true) LIMIT 1",
      ),
    ).toEqual([['managed_fs:/sales/2026.csv', 'sales/2026.csv']]);
  });
});

describe('parameters', () => {
  const parameters = [
    { name: 'region', type: 'text', value: 'north' },
    { name: 'least', type: 'number', value: 6 },
    { name: 'when', type: 'date-range', value: { start: '2026-01-01', end: '2026-01-31' } },
    {
      name: 'regions',
      type: 'enum',
      enumOptions: 'north\nsouth',
      value: ['north'],
      multiValuesOptions: { prefix: "'", suffix: "'", separator: ',' },
    },
    { name: 'table', type: 'text', value: 'sales' },
  ];
  const cases: readonly [string, object, unknown][] = [
    [`SELECT amount FROM ${file} WHERE region = '{{ region }}'`, {}, [[10], [5]]],
    [`SELECT amount FROM ${file} WHERE region = '{{ region }}'`, { region: "no'rth' OR 1=1 --" }, []],
    [`SELECT amount FROM ${file} WHERE amount >= {{ least }}`, {}, [[10], [20]]],
    [`SELECT amount FROM ${file} WHERE amount >= {{ least }}`, { least: '15' }, [[20]]],
    [
      `SELECT amount FROM ${file} WHERE day BETWEEN '{{ when.start }}' AND '{{ when.end }}'`,
      {},
      [[10], [20]],
    ],
    [
      `SELECT amount FROM ${file} WHERE day BETWEEN '{{ when.start }}' AND '{{ when.end }}'`,
      { when: { min: '2026-02-01', max: 'now/d' } },
      [[5]],
    ],
    [`SELECT amount FROM ${file} WHERE region IN ({{ regions }})`, {}, [[10], [5]]],
    [
      `SELECT amount FROM ${file} WHERE region IN ({{ regions }})`,
      { regions: ['south', 'north'] },
      [[10], [20], [5]],
    ],
    [`WITH sales AS (SELECT 7 AS n) SELECT n FROM {{ table }}`, {}, [[7]]],
    [
      "SELECT 'a {{ region }} b' AS t, '{{ regions }}' AS u",
      { regions: ['x', 'y'] },
      [['a north b', "'x','y'"]],
    ],
    ["SELECT CAST(DATE '2026-01-31' + INTERVAL {{ least }} DAYS AS DATE) AS d", {}, [['2026-02-06']]],
  ];
  test.each(cases)('%s with %j', async (query, given, rows) => {
    expect(await rowsOf(query, { parameters: given }, { parameters })).toEqual(rows);
  });

  test.each<[string, object, string]>([
    ['SELECT {{ least }}', { least: 'many' }, 'parameters.least is "many"; it must be a number.'],
    [
      'SELECT {{ least }}',
      { most: 1 },
      'parameters has "most", which the dataset does not have; it has least.',
    ],
    ['SELECT {{ region }}', { region: ['a', 'b'] }, 'parameters.region has 2 values; it takes one.'],
    ["SELECT '{{ when.start }}'", { when: { min: 'soon', max: 'now' } }, 'parameters.when.min'],
  ])('%s with %j is refused', async (query, given, message) => {
    const { status, body } = await run(query, { parameters: given }, { parameters });
    expect([status, body.error_code]).toEqual([400, 'INVALID_PARAMETER_VALUE']);
    expect(body.message).toContain(
      message.startsWith('parameters.when.min') ? 'parameters.when is "soon"' : message,
    );
  });
});

test('a widget query groups rows like the widget, in the order of the dataset', async () => {
  const chart = {
    type: 'CHART',
    options: {
      globalSeriesType: 'column',
      columnConfigurationMap: {
        x: { column: 'region' },
        y: [{ column: 'amount', transform: 'SUM', id: 'a' }],
      },
    },
  };
  const { id, document } = await dashboard(`SELECT * FROM ${file} ORDER BY amount DESC`, {
    visualization: chart,
  });
  const [{ widget }] = document.pages[0].layout;
  const answer = await runyard.callOk('POST', `2.0/modern/dashboards/${id}/query`, {
    dataset_name: document.datasets[0].name,
    widget_name: widget.name,
  });
  expect(answer).toEqual({
    columns: [
      { name: 'region', type: 'VARCHAR' },
      { name: 'sum(amount)', type: 'HUGEINT' },
    ],
    rows: [
      ['south', 20],
      ['north', 15],
    ],
    truncated: false,
  });
});

describe('the dialect of dashboards', () => {
  test.each<[string, unknown]>([
    ["SELECT \"it's\" AS a, 'it\\'s' AS b, `c` FROM (SELECT 1 AS c)", ["it's", "it's", 1]],
    [
      "SELECT format_string('%s has %d, %s', \"a\", 3, 1 + 1), date_format(DATE '2026-02-03', 'yyyy/MM/dd'), dayofweek(DATE '2026-02-01')",
      ['a has 3, 2', '2026/02/03', 1],
    ],
    [
      "SELECT array_contains(array(1, 2), 2), size(array(1, 2)), array_join(transform(array(1, 2), x -> x + 1), '-'), NULL <=> NULL, 7 div 2",
      [true, 2, '2-3', true, 3],
    ],
    [
      "SELECT datediff(DATE '2026-02-03', DATE '2026-02-01'), date_add(DATE '2026-02-03', 1), add_months(DATE '2026-01-31', 1), nvl(NULL, 4)",
      [2, '2026-02-04', '2026-02-28', 4],
    ],
    [
      "SELECT 9223372036854775807, CAST(1.5 AS DECIMAL(10, 2)), CAST('nan' AS DOUBLE), TIMESTAMP '2026-01-01 10:00:00'",
      ['9223372036854775807', 1.5, null, '2026-01-01 10:00:00'],
    ],
    [
      "SELECT to_date('2026-01-05'), /* ' */ trunc(DATE '2026-03-15', 'MM'), $$it's$$, r'a\\b'",
      ['2026-01-05', '2026-03-01', "it's", 'a\\b'],
    ],
  ])('%s', async (query, row) => {
    expect(await rowsOf(query)).toEqual([row]);
  });
});
