/**
 * Migration of complete dashboards: shared datasets, filters and pages.
 */
import { describe, expect, test } from 'vitest';
import type { ClassicWidget } from '../../../../engine/dashboard/classic.ts';
import { convertDashboard, type ConvertedDashboard } from '../../../../engine/dashboard/convert-dashboard.ts';

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
      'Widget "Query" is hidden and was left out; its query is kept as the dataset "Query".',
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

describe('spec 4.4: titles', () => {
  const titleOf = (name: string, title?: string): string | undefined =>
    migrated([
      { visualization: { type: 'TABLE', name, query }, ...(title !== undefined && { options: { title } }) },
    ]).dashboard.pages[0]?.layout.find(({ widget }) => widget.spec?.widgetType === 'table')?.widget.spec
      ?.frame?.title;

  test.each([
    ['Orders', 'Newest', 'Newest'],
    ['Table', undefined, 'Query'],
    ['Table', '', 'Query'],
    ['Bar chart 2', undefined, 'Query'],
    ['', undefined, 'Query'],
    ['Orders', undefined, 'Orders - Query'],
    ['Query by month', undefined, 'Query by month'],
  ])('a visualization named "%s" in a widget titled %j: "%s"', (name, title, expected) => {
    expect(titleOf(name, title)).toBe(expected);
  });
});

describe('spec 4.4: a widget whose query was deleted', () => {
  const orphan: ClassicWidget = {
    visualization: { type: 'CHART', name: 'Sales', query: { id: 'q9' } },
    options: { position: { col: 3, row: 2, sizeX: 3, sizeY: 4 } },
  };

  test('becomes a text box in its place, with a warning', () => {
    const { dashboard, warnings } = migrated([orphan, tableWith(undefined)]);
    expect(dashboard.datasets).toHaveLength(1);
    const box = dashboard.pages[0]?.layout.find(({ widget }) => widget.multilineTextboxSpec !== undefined);
    expect(box?.widget.multilineTextboxSpec?.lines.join('')).toBe(
      '**Sales**\n\nThe query of this widget was deleted.',
    );
    expect(box?.position).toMatchObject({ x: 3, width: 3, height: 4 });
    expect(warnings).toEqual(['Widget "Sales": its query was deleted, so a text box takes its place.']);
  });

  test('is left out when it is hidden', () => {
    const { dashboard, warnings } = migrated([{ ...orphan, options: { isHidden: true } }]);
    expect(dashboard.pages[0]?.layout).toEqual([]);
    expect(warnings).toEqual(['Widget "Sales": its query was deleted, so it was left out.']);
  });
});

describe('spec 4.4: warnings appear only where they apply', () => {
  const chart = (options: object): ClassicWidget => ({
    visualization: {
      type: 'CHART',
      name: 'Chart',
      query: { name: 'Events', query: 'SELECT day, n FROM t' },
      options: { globalSeriesType: 'line', columnMapping: { day: 'x', n: 'y' }, ...options },
    },
  });
  const log = { type: 'logarithmic' };

  test.each<[string, object, string[]]>([
    ['the default format of dates', { dateTimeFormat: 'DD/MM/YYYY HH:mm', xAxis: { type: 'datetime' } }, []],
    ['a format of dates without dates', { dateTimeFormat: 'YYYY', xAxis: { type: 'category' } }, []],
    [
      'a format of dates',
      { dateTimeFormat: 'YYYY', xAxis: { type: 'datetime' } },
      ['Widget "Events": its format of dates, YYYY, is not kept; the new chart uses its own.'],
    ],
    ['a second axis that no series uses', { yAxis: [{ type: 'linear' }, log] }, []],
    [
      'a logarithmic axis',
      { yAxis: [log, { type: 'linear' }] },
      ['Widget "Events": a logarithmic axis is shown linear.'],
    ],
  ])('%s', (_name, options, expected) => {
    expect(migrated([chart(options)]).warnings).toEqual(expected);
  });

  test.each([
    ['SELECT city, n FROM t', 0],
    ['SELECT city AS "city::filter" FROM t', 1],
    ['SELECT city AS `city__multi-filter` FROM t', 1],
  ])('filters of columns: %s', (sql, count) => {
    const widget = { visualization: { type: 'TABLE', name: 'Table', query: { query: sql } } };
    const { warnings } = migrated([widget], { dashboard_filters_enabled: true });
    expect(warnings.filter((warning) => warning.startsWith('Filters that'))).toHaveLength(count);
  });

  test('the shape of markers that are not custom', () => {
    const map = {
      visualization: {
        type: 'MAP',
        name: 'Map',
        query: { query: 'SELECT lat, lon FROM t' },
        options: { latColName: 'lat', lonColName: 'lon', iconShape: 'marker', customizeMarkers: false },
      },
    };
    expect(migrated([map]).warnings).toEqual([]);
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
