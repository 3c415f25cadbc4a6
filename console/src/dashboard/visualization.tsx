/** Content of a data widget: a chart, a table, a counter or a pivot table. */
import { lazy, Suspense, useCallback } from 'react';
import type { JsonObject, Rows, Widget } from '../api/dashboard-documents.ts';
import { Loading } from '../parts/loading.tsx';
import { Counter } from './counter.tsx';
import { createAxisChart } from './options/axis-chart.ts';
import {
  createBoxChart,
  createHeatmapChart,
  createHistogramChart,
  createPointMapChart,
} from './options/distribution-charts.ts';
import { createFunnelChart, createPieChart, createSankeyChart } from './options/proportion-charts.ts';
import type { ChartOption, ChartTheme } from './options/chart-theme.ts';
import { PivotTable } from './pivot.tsx';
import { toJsonObject } from './encodings.ts';
import { ValueTable } from './value-table.tsx';

const Drawing = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

type CreateChart = (rows: Rows, encodings: JsonObject, look: ChartTheme, mark: JsonObject) => ChartOption;

const axisChartFactory =
  (type: Parameters<typeof createAxisChart>[0]): CreateChart =>
  (rows, encodings, look, mark) =>
    createAxisChart(type, rows, { encodings, mark }, look);

/** Widget type -> factory of its chart. */
const chartFactories: Readonly<Record<string, CreateChart>> = {
  bar: axisChartFactory('bar'),
  line: axisChartFactory('line'),
  area: axisChartFactory('area'),
  scatter: axisChartFactory('scatter'),
  combo: axisChartFactory('combo'),
  pie: createPieChart,
  heatmap: createHeatmapChart,
  histogram: createHistogramChart,
  funnel: createFunnelChart,
  sankey: createSankeyChart,
  box: createBoxChart,
  'symbol-map': createPointMapChart,
};

/** Widget type -> note about its substitute. */
const substitutionNotes: Readonly<Record<string, string>> = {
  'symbol-map': 'Shown without a background map.',
  'choropleth-map': 'Shown as a table: region shapes are not available.',
  'word-cloud': 'Shown as a table of words.',
};

export function Visualization({
  spec,
  title,
  rows,
}: {
  readonly spec: NonNullable<Widget['spec']>;
  readonly title: string;
  readonly rows: Rows;
}) {
  const { widgetType, encodings } = spec;
  const draw = Object.hasOwn(chartFactories, widgetType) ? chartFactories[widgetType] : undefined;
  const option = useCallback(
    (look: ChartTheme) => draw?.(rows, encodings, look, toJsonObject(spec.mark)) ?? {},
    [draw, rows, encodings, spec.mark],
  );
  const note = substitutionNotes[widgetType];
  if (widgetType === 'counter') return <Counter rows={rows} encodings={encodings} />;
  if (widgetType === 'pivot') return <PivotTable title={title} rows={rows} encodings={encodings} />;
  if (draw === undefined)
    return (
      <>
        {note !== undefined && <p className="hint">{note}</p>}
        <ValueTable title={title} rows={rows} encodings={widgetType === 'table' ? encodings : {}} />
      </>
    );
  return (
    <>
      {note !== undefined && <p className="hint">{note}</p>}
      <Suspense fallback={<Loading what="the chart" />}>
        <Drawing title={title} createOption={option} />
      </Suspense>
      <details className="figures-of">
        <summary>Show data</summary>
        <ValueTable title={title} rows={rows} encodings={{}} />
      </details>
    </>
  );
}
