/** Examples of operations on dashboards. */
import { dashboardPath } from '../../engine/dashboard/names.ts';
import type { Example } from './example.ts';

const id = '4e443c27-9f61-4f2e-a12d-ea5668460bf1';

const classic = {
  id,
  name: 'Sales',
  tags: ['team'],
  widgets: [
    { id: 1, text: '# Sales of the north', options: { position: { col: 0, row: 0, sizeX: 6, sizeY: 1 } } },
    {
      id: 2,
      options: {
        position: { col: 0, row: 1, sizeX: 3, sizeY: 4 },
        parameterMappings: { region: { name: 'region', type: 'dashboard-level', mapTo: 'region' } },
      },
      visualization: {
        type: 'COUNTER',
        name: 'Revenue',
        options: { counterColName: 'revenue', stringDecimal: 2 },
        query: {
          id: '7f3a1f0e-0c7c-4c52-8a52-2f7b7f9b9f10',
          name: 'Revenue by region',
          data_source_id: 'a1b2c3d4e5f60718',
          query: "SELECT sum(amount) AS revenue FROM sales WHERE region = '{{ region }}'",
          options: { parameters: [{ name: 'region', title: 'Region', type: 'text', value: 'north' }] },
        },
      },
    },
  ],
};

const created = { created_at: '2026-03-02T00:00:00.000Z', user: { name: 'ada@example.org' } };

const summary = {
  dashboard_id: '01f1165a6c2b1d0a9a3e5b7c8d9e0f12',
  display_name: 'Sales',
  create_time: '2026-03-02T00:00:00.000Z',
  warehouse_id: 'a1b2c3d4e5f60718',
  lifecycle_state: 'ACTIVE',
};

const dashboard = {
  ...summary,
  path: dashboardPath('/Users/ada@example.org', 'Sales'),
  parent_path: '/Users/ada@example.org',
  update_time: '2026-03-02T00:00:00.000Z',
  etag: '1',
  serialized_dashboard:
    '{"datasets":[],"pages":[{"name":"0b4f6c1d","displayName":"Sales","layout":[],"pageType":"PAGE_TYPE_CANVAS"}]}\n',
  source_dashboard_id: id,
  warnings: [],
};

export const dashboardExamples: Readonly<Record<string, Example>> = {
  'POST /preview/sql/dashboards': { request: classic, answer: { ...classic, ...created } },
  'GET /preview/sql/dashboards': {
    request: { page: 1, page_size: 25 },
    answer: {
      count: 1,
      page: 1,
      page_size: 25,
      results: [{ id, name: classic.name, tags: classic.tags, ...created }],
    },
  },
  'GET /preview/sql/dashboards/:dashboard_id': {
    request: { dashboard_id: id },
    answer: { ...classic, ...created },
  },
  'DELETE /preview/sql/dashboards/:dashboard_id': { request: { dashboard_id: id }, answer: {} },
  'POST /modern/dashboards/migrate': {
    request: {
      source_dashboard_id: id,
      display_name: 'Sales',
      parent_path: '/Users/ada@example.org',
      update_parameter_syntax: true,
    },
    answer: dashboard,
  },
  'GET /modern/dashboards': {
    request: { page_size: 100, show_trashed: false },
    answer: { dashboards: [summary] },
  },
  'GET /modern/dashboards/:dashboard_id': {
    request: { dashboard_id: summary.dashboard_id },
    answer: dashboard,
  },
  'POST /modern/dashboards/:dashboard_id/query': {
    request: {
      dashboard_id: summary.dashboard_id,
      dataset_name: '5c2d7e1a',
      parameters: { region: 'north', days: { min: '2026-01-01', max: 'now/d' } },
      widget_name: '9be41f07',
    },
    answer: {
      columns: [
        { name: 'month', type: 'DATE' },
        { name: 'sum(amount)', type: 'DOUBLE' },
      ],
      rows: [
        ['2026-01-01', 1200.5],
        ['2026-02-01', 980],
      ],
      truncated: false,
    },
  },
  'DELETE /modern/dashboards/:dashboard_id': { request: { dashboard_id: summary.dashboard_id }, answer: {} },
};
