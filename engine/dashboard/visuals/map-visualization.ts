/** Maps classic visualizations to widgets by type; a type without a widget becomes a table with a note. */
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

/** Types without a widget in the modern format. */
const typesWithoutWidget: ReadonlySet<string> = new Set(['DETAILS', 'SUNBURST_SEQUENCE']);

/** Type of a classic visualization -> its mapper. */
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
  /** Note for viewers; undefined when the widget shows the same as before. */
  readonly remark: string | undefined;
}

/** Maps a visualization. @param type in any case */
export function mapVisualization(type: string, input: VisualizationInput): MappedVisualization {
  const name = type.trim().toUpperCase();
  const visual = visualizationMappers.get(name)?.(input);
  if (visual !== undefined) return { visual, remark: undefined };
  const isChart = name === 'CHART';
  const description = isChart
    ? `chart of type ${chartKind(input.options)}`
    : `visualization of type ${truncateText(name, 60)}`;
  const isKnown = isChart ? isChartKind(input.options) : visualizationMappers.has(name);
  const reason = isKnown
    ? 'does not name the columns that it needs'
    : isChart || typesWithoutWidget.has(name)
      ? 'has no counterpart in the modern format'
      : 'is unknown';
  return {
    visual: mapTable({ ...input, columns: input.columns ?? chartColumnNames(input.options) }),
    remark: `This table replaces a ${description}, which ${reason}.`,
  };
}

/** Returns the columns that a chart names, for the table that replaces it. */
function chartColumnNames(options: JsonObject): string[] {
  const { x, y, series, size, value, others } = parseChartColumns(options);
  return [...new Set([x, ...y, series, size, value, ...others].flatMap((column) => column?.column ?? []))];
}

/** Maps a classic box plot: the first column of the query defines the boxes, the second has the values. */
function mapBoxPlotVisualization({ options, columns }: VisualizationInput): WidgetDraft | undefined {
  const [first, second] = columns ?? [];
  const column = second ?? first;
  if (column === undefined) return undefined;
  const notes = ['the first column of the query is used for the boxes and the second for the values'];
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
