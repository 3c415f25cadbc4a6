/** What stands in the frame of a widget that shows data: a chart, a table, a counter or a pivot. */
import { lazy, Suspense, useCallback } from 'react';
import type { Fields, Rows, Widget } from '../api/dashboard-documents.ts';
import { Loading } from '../parts/loading.tsx';
import { Counter } from './counter.tsx';
import { axisChart } from './options/axis-chart.ts';
import {
  boxChart,
  funnelChart,
  heatmapChart,
  histogramChart,
  pieChart,
  placesChart,
  sankeyChart,
} from './options/other-charts.ts';
import type { ChartOption, Look } from './options/look.ts';
import { Pivot } from './pivot.tsx';
import { fieldsOf } from './reading.ts';
import { ValueTable } from './value-table.tsx';

const Drawing = lazy(async () => ({ default: (await import('./drawing.tsx')).Drawing }));

type Draw = (rows: Rows, encodings: Fields, look: Look, mark: Fields) => ChartOption;

const axes =
  (type: Parameters<typeof axisChart>[0]): Draw =>
  (rows, encodings, look, mark) =>
    axisChart(type, rows, { encodings, mark }, look);

/** Type of a widget -> how it is drawn. */
const drawings: Readonly<Record<string, Draw>> = {
  bar: axes('bar'),
  line: axes('line'),
  area: axes('area'),
  scatter: axes('scatter'),
  combo: axes('combo'),
  pie: pieChart,
  heatmap: heatmapChart,
  histogram: histogramChart,
  funnel: funnelChart,
  sankey: sankeyChart,
  box: boxChart,
  'symbol-map': placesChart,
};

/** What people have to know about widgets that are shown in another way. */
const notes: Readonly<Record<string, string>> = {
  'symbol-map': 'Shown without a map beneath the places.',
  'choropleth-map': 'Shown as a table: the shapes of regions are not at hand here.',
  'word-cloud': 'Shown as a table of the words.',
};

export function Visual({
  spec,
  title,
  rows,
}: {
  readonly spec: NonNullable<Widget['spec']>;
  readonly title: string;
  readonly rows: Rows;
}) {
  const { widgetType, encodings } = spec;
  const draw = Object.hasOwn(drawings, widgetType) ? drawings[widgetType] : undefined;
  const option = useCallback(
    (look: Look) => draw?.(rows, encodings, look, fieldsOf(spec.mark)) ?? {},
    [draw, rows, encodings, spec.mark],
  );
  const note = notes[widgetType];
  if (widgetType === 'counter') return <Counter rows={rows} encodings={encodings} />;
  if (widgetType === 'pivot') return <Pivot title={title} rows={rows} encodings={encodings} />;
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
        <Drawing title={title} option={option} />
      </Suspense>
      <details className="figures-of">
        <summary>Figures</summary>
        <ValueTable title={title} rows={rows} encodings={{}} />
      </details>
    </>
  );
}
