/** Random widgets of classic dashboards. */
import * as fc from 'fast-check';
import type { ClassicWidget } from '../../../../engine/dashboard/classic.ts';
import { randomSql } from './random-sql.ts';

const visualizationTypes = [
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
const randomValue = fc.oneof(
  { weight: 3, arbitrary: columnNames },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const entries = (keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(keys.map((key) => [key, randomValue])), { requiredKeys: [] });
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
const randomOptions = fc.oneof(
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
      xAxis: randomValue,
      yAxis: randomValue,
      series: randomValue,
      legend: randomValue,
      numberFormat: randomValue,
      binWidth: randomValue,
      swappedAxes: fc.boolean(),
      sortX: randomValue,
    },
    { requiredKeys: ['globalSeriesType'] },
  ),
  fc.record({
    globalSeriesType: chartKinds,
    columnConfigurationMap: fc.record(
      {
        x: fc.record({ column: randomValue, id: randomValue, transform: randomValue }),
        y: fc.array(
          fc.record({
            column: randomValue,
            id: randomValue,
            transform: fc.constantFrom('SUM', 'COUNT', 'DAY_LEVEL', 'x'),
          }),
          { maxLength: 3 },
        ),
        series: randomValue,
        color: randomValue,
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
      fc.record({ start: randomValue, end: randomValue }),
    ),
    enumOptions: fc.oneof(fc.constant('a\nb'), fc.jsonValue({ maxDepth: 1 })),
    multiValuesOptions: fc.oneof(
      fc.constant(null),
      fc.record({ prefix: randomValue, separator: randomValue }),
    ),
    queryId: fc.constantFrom('q1', 'q2', 'q9'),
    date_value: randomValue,
  },
  { requiredKeys: ['name'] },
);

const mapping = fc.record(
  {
    type: fc.constantFrom('dashboard-level', 'widget-level', 'static-value', 'x'),
    mapTo: fc.constantFrom('p', 'r', 'other', ''),
    value: randomValue,
    title: randomValue,
  },
  { requiredKeys: [] },
);

export const randomWidget: fc.Arbitrary<ClassicWidget> = fc.record(
  {
    id: fc.nat(),
    text: fc.string(),
    options: fc.oneof(
      fc.dictionary(columnNames, fc.jsonValue({ maxDepth: 2 })),
      fc.record({
        position: fc.dictionary(fc.constantFrom('col', 'row', 'sizeX', 'sizeY'), randomValue),
        isHidden: fc.boolean(),
        title: randomValue,
        parameterMappings: fc.dictionary(fc.constantFrom('p', 'q x', 'r', 'm'), mapping),
      }),
    ),
    visualization: fc.record(
      {
        type: fc.constantFrom(...visualizationTypes),
        name: fc.string(),
        description: fc.string(),
        options: randomOptions,
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
