/**
 * Every type of classic visualization and the widget that it becomes; what has none becomes a table with a
 * note.
 */
import { truncateText } from '../../validation/messages.ts';
import { getText, type JsonObject } from '../json-fields.ts';
import { mapChart, chartKind, isChartKind } from './chart.ts';
import { parseChartColumns } from './chart-columns.ts';
import { mapCounter } from './counter.ts';
import { mapFunnel, mapSankey, mapWordCloud } from './funnel-sankey-word-cloud.ts';
import { mapChoropleth, mapSymbolMap } from './maps.ts';
import { mapCohort, mapPivot } from './pivot.ts';
import { createBoxPlot } from './other-charts.ts';
import { mapTable } from './table.ts';
import {
  createFieldSet,
  type VisualizationMapper,
  type VisualizationInput,
  type WidgetDraft,
} from './visual.ts';

/** Types that the newer format has no widget for. */
const typesWithoutWidget: ReadonlySet<string> = new Set(['DETAILS', 'SUNBURST_SEQUENCE']);

/** Type of a classic visualization -> its mapping. */
const visualizationMappers: ReadonlyMap<string, VisualizationMapper> = new Map<string, VisualizationMapper>([
  ['TABLE', mapTable],
  ['CHART', mapChart],
  ['COUNTER', mapCounter],
  ['PIVOT', mapPivot],
  ['FUNNEL', mapFunnel],
  ['COHORT', mapCohort],
  ['CHOROPLETH', mapChoropleth],
  ['MAP', mapSymbolMap],
  ['SANKEY', mapSankey],
  ['WORD_CLOUD', mapWordCloud],
  ['BOXPLOT', mapBoxPlotVisualization],
]);

export interface MappedVisualization {
  readonly visual: WidgetDraft;
  /** What people have to know who look at it; undefined when it shows what it showed before. */
  readonly remark: string | undefined;
}

/** @param type in any case */
export function mapVisualization(type: string, shown: VisualizationInput): MappedVisualization {
  const name = type.trim().toUpperCase();
  const visual = visualizationMappers.get(name)?.(shown);
  if (visual !== undefined) return { visual, remark: undefined };
  const isChart = name === 'CHART';
  const what = isChart
    ? `chart of type ${chartKind(shown.options)}`
    : `visualization of type ${truncateText(name, 60)}`;
  const isKnown = isChart ? isChartKind(shown.options) : visualizationMappers.has(name);
  const why = isKnown
    ? 'does not name the columns that it needs'
    : isChart || typesWithoutWidget.has(name)
      ? 'has no counterpart in the new format'
      : 'is not known';
  return {
    visual: mapTable({ ...shown, columns: shown.columns ?? chartColumnNames(shown.options) }),
    remark: `This table stands in the place of a ${what}, which ${why}.`,
  };
}

/** The columns that a chart names, for the table in its place. */
function chartColumnNames(options: JsonObject): string[] {
  const { x, y, series, size, value, others } = parseChartColumns(options);
  return [...new Set([x, ...y, series, size, value, ...others].flatMap((column) => column?.column ?? []))];
}

/** Classic box plots take the columns as they come: the first one parts, the second one has the values. */
function mapBoxPlotVisualization({ options, columns }: VisualizationInput): WidgetDraft | undefined {
  const [first, second] = columns ?? [];
  const column = second ?? first;
  if (column === undefined) return undefined;
  const notes = [
    'its columns are taken to be the first of the query for the boxes and the second for the values',
  ];
  const fields = createFieldSet(notes);
  const x =
    second === undefined || first === undefined
      ? undefined
      : {
          fieldName: fields.addColumn(first),
          displayName: getText(options, 'xAxisLabel') ?? first,
          scale: { type: 'categorical' },
        };
  const title = getText(options, 'yAxisLabel');
  return createBoxPlot(
    { x, column, axis: { scale: { type: 'quantitative' }, ...(title !== undefined && { axis: { title } }) } },
    fields,
    notes,
  );
}
