/**
 * Migration of complete dashboards: shared datasets, filters, pages, and random dashboards.
 */
import * as fc from 'fast-check';
import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import type { ClassicDashboard, ClassicWidget } from '../../../../engine/dashboard/classic.ts';
import { convertDashboard, type ConvertedDashboard } from '../../../../engine/dashboard/convert-dashboard.ts';
import { SerializedDashboard, serializeDashboard } from '../../../../engine/dashboard/modern.ts';
import { randomSql } from './random-sql.ts';

const id = '33333333-0000-4000-8000-000000000001';

function migrated(
  widgets: readonly ClassicWidget[],
  more: object = {},
  updateParameterSyntax = true,
): ConvertedDashboard {
  return convertDashboard(
    { id, name: 'Test', widgets: [...widgets], ...more },
    { dashboardId: 'd'.repeat(32), updateParameterSyntax },
  );
}

const query = {
  id: 'q1',
  name: 'Query',
  query: "SELECT a FROM t WHERE b = '{{ p }}'",
  options: { parameters: [{ name: 'p', title: 'P', type: 'text', value: 'x' }] },
};

/** Returns a table of the query, with a mapping of its parameter. */
function tableWith(mapping: object | undefined, row = 0): ClassicWidget {
  return {
    visualization: { type: 'TABLE', name: `Table ${row}`, query },
    options: {
      position: { col: 0, row, sizeX: 3, sizeY: 2 },
      ...(mapping !== undefined && { parameterMappings: { p: mapping } }),
    },
  };
}

const filtersOf = ({ dashboard }: ConvertedDashboard) =>
  dashboard.pages[0]?.layout.filter(({ widget }) => widget.spec?.widgetType.startsWith('filter-')) ?? [];

describe('spec 4.4: datasets', () => {
  test('a query of several widgets becomes one dataset', () => {
    const result = migrated([tableWith(undefined), tableWith({ type: 'dashboard-level', mapTo: 'p' }, 2)]);
    expect(result.dashboard.datasets).toHaveLength(1);
    expect(filtersOf(result)).toHaveLength(1);
    expect(result.warnings).toEqual([]);
  });

  test('a widget-level parameter gets its own dataset, keyword and filter', () => {
    const result = migrated([
      tableWith({ type: 'widget-level' }),
      tableWith({ type: 'widget-level' }, 2),
      tableWith(undefined, 4),
    ]);
    expect(result.dashboard.datasets.map(({ queryLines }) => queryLines.join(''))).toEqual(
      [':p_1', ':p_2', ':p'].map((p) => `SELECT a FROM t WHERE b = ${p}`),
    );
    expect(filtersOf(result)).toHaveLength(3);
  });

  test('a static value becomes the default of a parameter without a filter', () => {
    const result = migrated([tableWith({ type: 'static-value', value: 'fixed' })]);
    expect(result.dashboard.datasets[0]?.parameters).toMatchObject([
      { keyword: 'p', defaultSelection: { values: { values: [{ value: 'fixed' }] } } },
    ]);
    expect(filtersOf(result)).toEqual([]);
  });

  test('a hidden widget keeps its dataset and has no filter', () => {
    const hidden = { ...tableWith(undefined), options: { isHidden: true } };
    const result = migrated([hidden]);
    expect(result.dashboard.datasets).toHaveLength(1);
    expect(result.dashboard.pages[0]?.layout).toEqual([]);
    expect(result.warnings).toEqual([
      'Widget "Table 0" is hidden and was left out; its query is kept as the dataset "Query".',
    ]);
  });

  test('a parameter that is used only in comments is dropped', () => {
    const commented = { ...query, query: 'SELECT a FROM t -- {{ p }}' };
    const result = migrated([{ visualization: { type: 'TABLE', query: commented } }]);
    expect(result.dashboard.datasets[0]).not.toHaveProperty('parameters');
    expect(filtersOf(result)).toEqual([]);
  });

  test('without rewriting, queries are unchanged and parameters keep their names', () => {
    const result = migrated(
      [tableWith({ type: 'dashboard-level', mapTo: 'other' }), tableWith({ type: 'widget-level' }, 2)],
      {},
      false,
    );
    for (const { queryLines, parameters } of result.dashboard.datasets) {
      expect(queryLines.join('')).toBe(query.query);
      expect(parameters?.map(({ keyword }) => keyword)).toEqual(['p']);
    }
    expect(result.warnings.join()).toContain('still {{ }}, which the modern format does not support');
  });
});

describe('spec 4.4: pages', () => {
  const boxes = (count: number): ClassicWidget[] =>
    Array.from({ length: count }, (_, index) => ({
      text: String(index),
      options: { position: { col: 0, row: index, sizeX: 6, sizeY: 1 } },
    }));

  test('an empty dashboard has one page', () => {
    expect(migrated([]).dashboard).toMatchObject({
      datasets: [],
      pages: [{ displayName: 'Test', layout: [], pageType: 'PAGE_TYPE_CANVAS' }],
    });
  });

  test('more than 100 widgets are distributed over pages, each starting at its top', () => {
    const { dashboard } = migrated(boxes(250));
    expect(dashboard.pages.map(({ displayName, layout }) => [displayName, layout.length])).toEqual([
      ['Test', 100],
      ['Test (2)', 100],
      ['Test (3)', 50],
    ]);
    for (const { layout } of dashboard.pages) expect(layout[0]?.position.y).toBe(0);
  });

  test('every page has the filters that affect its widgets', () => {
    const result = migrated([...boxes(120), tableWith(undefined, 500)]);
    const pages = result.dashboard.pages.map(
      ({ layout }) => layout.filter(({ widget }) => widget.spec?.widgetType === 'filter-text-entry').length,
    );
    expect(pages).toEqual([1, 1]);
  });
});

test('migration of the same dashboard twice gives the same result', () => {
  const widgets = [tableWith(undefined), tableWith({ type: 'widget-level' }, 2)];
  expect(migrated(widgets)).toEqual(migrated(widgets));
});

const mostTypes = [
  'table',
  'CHART',
  'COUNTER',
  'PIVOT',
  'FUNNEL',
  'COHORT',
  'CHOROPLETH',
  'MAP',
  'SANKEY',
  'WORD_CLOUD',
  'BOXPLOT',
  'DETAILS',
  'SUNBURST_SEQUENCE',
  'x',
  '',
  '__proto__',
];
const columnNames = fc.constantFrom('a', 'b', 'date', '*', '', '`', '__proto__', 'constructor', '日本');
const odd = fc.oneof(
  { weight: 3, arbitrary: columnNames },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const entries = (keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(keys.map((key) => [key, odd])), { requiredKeys: [] });
const chartKinds = fc.constantFrom(
  'line',
  'column',
  'area',
  'pie',
  'scatter',
  'bubble',
  'heatmap',
  'box',
  'combo',
  'histogram',
  'toString',
  'custom',
);

/** Random options of every type, most of them valid. */
const oddOptions = fc.oneof(
  entries([
    'counterColName',
    'targetColName',
    'rowNumber',
    'stringPrefix',
    'latColName',
    'lonColName',
    'classify',
    'groups',
    'keyColumn',
    'valueColumn',
    'mapType',
    'dateColumn',
    'column',
    'frequenciesColumn',
    'columns',
    'rows',
    'cols',
    'vals',
    'aggregatorName',
    'stepCol',
    'valueCol',
    'countRow',
  ]),
  fc.record(
    {
      globalSeriesType: chartKinds,
      columnMapping: fc.dictionary(
        columnNames,
        fc.constantFrom('x', 'y', 'series', 'size', 'zVal', 'unused', 'other'),
      ),
      seriesOptions: fc.dictionary(columnNames, entries(['name', 'type', 'color', 'yAxis'])),
      xAxis: odd,
      yAxis: odd,
      series: odd,
      legend: odd,
      numberFormat: odd,
      binWidth: odd,
      swappedAxes: fc.boolean(),
      sortX: odd,
    },
    { requiredKeys: ['globalSeriesType'] },
  ),
  fc.record({
    globalSeriesType: chartKinds,
    columnConfigurationMap: fc.record(
      {
        x: fc.record({ column: odd, id: odd, transform: odd }),
        y: fc.array(
          fc.record({ column: odd, id: odd, transform: fc.constantFrom('SUM', 'COUNT', 'DAY_LEVEL', 'x') }),
          { maxLength: 3 },
        ),
        series: odd,
        color: odd,
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    columns: fc.array(entries(['name', 'title', 'order', 'visible', 'displayAs']), { maxLength: 4 }),
  }),
);

const parameter = fc.record(
  {
    name: fc.constantFrom('p', 'q x', 'r', 'm', 'e', '', '__proto__'),
    type: fc.constantFrom(
      'text',
      'number',
      'enum',
      'query',
      'date',
      'datetime-local',
      'date-range',
      'datetime-range',
      'x',
    ),
    value: fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('d_today', 'd_last_7_days', '2026-01-01', "'a'"),
      fc.record({ start: odd, end: odd }),
    ),
    enumOptions: fc.oneof(fc.constant('a\nb'), fc.jsonValue({ maxDepth: 1 })),
    multiValuesOptions: fc.oneof(fc.constant(null), fc.record({ prefix: odd, separator: odd })),
    queryId: fc.constantFrom('q1', 'q2', 'q9'),
    date_value: odd,
  },
  { requiredKeys: ['name'] },
);

const mapping = fc.record(
  {
    type: fc.constantFrom('dashboard-level', 'widget-level', 'static-value', 'x'),
    mapTo: fc.constantFrom('p', 'r', 'other', ''),
    value: odd,
    title: odd,
  },
  { requiredKeys: [] },
);

const widget: fc.Arbitrary<ClassicWidget> = fc.record(
  {
    id: fc.nat(),
    text: fc.string(),
    options: fc.oneof(
      fc.dictionary(columnNames, fc.jsonValue({ maxDepth: 2 })),
      fc.record({
        position: fc.dictionary(fc.constantFrom('col', 'row', 'sizeX', 'sizeY'), odd),
        isHidden: fc.boolean(),
        title: odd,
        parameterMappings: fc.dictionary(fc.constantFrom('p', 'q x', 'r', 'm'), mapping),
      }),
    ),
    visualization: fc.record(
      {
        type: fc.constantFrom(...mostTypes),
        name: fc.string(),
        description: fc.string(),
        options: oddOptions,
        query: fc.record(
          {
            id: fc.constantFrom('q1', 'q2', 3),
            name: fc.string(),
            query: fc.oneof(randomSql, fc.constant('SELECT a, b, date FROM t')),
            options: fc.record({ parameters: fc.array(parameter, { maxLength: 6 }) }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

test('migration of a random dashboard satisfies the schema and has no dangling references', () => {
  fc.assert(
    fc.property(fc.array(widget, { maxLength: 6 }), fc.boolean(), (widgets, rewrite) => {
      const classic: ClassicDashboard = { id, name: 'Odd', widgets };
      const before = JSON.stringify(classic);
      const { dashboard, warnings } = convertDashboard(classic, {
        dashboardId: 'd'.repeat(32),
        updateParameterSyntax: rewrite,
      });
      expect(JSON.stringify(classic)).toBe(before);
      expect([...Errors(SerializedDashboard, JSON.parse(serializeDashboard(dashboard)))]).toEqual([]);
      expect(warnings.every((warning) => warning.isWellFormed() && /[.]$/.test(warning))).toBe(true);
      const names = dashboard.pages
        .flatMap(({ name, layout }) => [name, ...layout.map((placed) => placed.widget.name)])
        .concat(dashboard.datasets.map(({ name }) => name));
      expect(new Set(names).size).toBe(names.length);
      for (const {
        widget: { queries = [] },
      } of dashboard.pages.flatMap(({ layout }) => layout)) {
        for (const {
          query: { datasetName, parameters = [] },
        } of queries) {
          const dataset = dashboard.datasets.find(({ name }) => name === datasetName);
          expect(dataset).toBeDefined();
          for (const { keyword } of parameters)
            expect(dataset?.parameters?.map((one) => one.keyword)).toContain(keyword);
        }
      }
      for (const { parameters = [] } of dashboard.datasets)
        expect(new Set(parameters.map(({ keyword }) => keyword)).size).toBe(parameters.length);
    }),
    { numRuns: 1_500 },
  );
});

test('every field of an encoding is a field of the query', () => {
  fc.assert(
    fc.property(fc.array(widget, { maxLength: 4 }), (widgets) => {
      const { dashboard } = convertDashboard(
        { id, name: 'Odd', widgets },
        { dashboardId: 'd'.repeat(32), updateParameterSyntax: true },
      );
      for (const {
        widget: { queries = [], spec },
      } of dashboard.pages.flatMap(({ layout }) => layout)) {
        const asked = new Set(
          queries.flatMap(({ query: { fields = [] } }) => fields.map(({ name }) => name)),
        );
        for (const named of valuesOf('fieldName', spec?.encodings)) expect(asked).toContain(named);
      }
    }),
    { numRuns: 500 },
  );
});

function valuesOf(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
}
