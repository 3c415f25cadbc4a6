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
