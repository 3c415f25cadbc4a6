/**
 * Every type of classic visualization and the widget that it becomes; what has none becomes a table with a
 * note.
 */
import { cut } from '../../validation/messages.ts';
import { textIn, type Fields } from '../reading.ts';
import { chart, chartKind, isChartKind } from './chart.ts';
import { chartColumns } from './chart-columns.ts';
import { counter } from './counter.ts';
import { funnel, sankey, wordCloud } from './flows.ts';
import { choropleth, symbolMap } from './maps.ts';
import { cohort, pivot } from './matrix.ts';
import { boxPlot } from './other-charts.ts';
import { table } from './table.ts';
import { fieldSet, type Mapping, type Shown, type Visual } from './visual.ts';

/** Types that the newer format has no widget for. */
const unmappable: ReadonlySet<string> = new Set(['DETAILS', 'SUNBURST_SEQUENCE']);

/** Type of a classic visualization -> its mapping. */
const mappings: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['TABLE', table],
  ['CHART', chart],
  ['COUNTER', counter],
  ['PIVOT', pivot],
  ['FUNNEL', funnel],
  ['COHORT', cohort],
  ['CHOROPLETH', choropleth],
  ['MAP', symbolMap],
  ['SANKEY', sankey],
  ['WORD_CLOUD', wordCloud],
  ['BOXPLOT', boxplot],
]);

export interface Mapped {
  readonly visual: Visual;
  /** What people have to know who look at it; undefined when it shows what it showed before. */
  readonly remark: string | undefined;
}

/** @param type in any case */
export function mapVisualization(type: string, shown: Shown): Mapped {
  const name = type.trim().toUpperCase();
  const visual = mappings.get(name)?.(shown);
  if (visual !== undefined) return { visual, remark: undefined };
  const isChart = name === 'CHART';
  const what = isChart
    ? `chart of type ${chartKind(shown.options)}`
    : `visualization of type ${cut(name, 60)}`;
  const isKnown = isChart ? isChartKind(shown.options) : mappings.has(name);
  const why = isKnown
    ? 'does not name the columns that it needs'
    : isChart || unmappable.has(name)
      ? 'has no counterpart in the new format'
      : 'is not known';
  return {
    visual: table({ ...shown, columns: shown.columns ?? chartColumnNames(shown.options) }),
    remark: `This table stands in the place of a ${what}, which ${why}.`,
  };
}

/** The columns that a chart names, for the table in its place. */
function chartColumnNames(options: Fields): string[] {
  const { x, y, series, size, value, others } = chartColumns(options);
  return [...new Set([x, ...y, series, size, value, ...others].flatMap((column) => column?.column ?? []))];
}

/** Classic box plots take the columns as they come: the first one parts, the second one has the values. */
function boxplot({ options, columns }: Shown): Visual | undefined {
  const [first, second] = columns ?? [];
  const column = second ?? first;
  if (column === undefined) return undefined;
  const notes = [
    'its columns are taken to be the first of the query for the boxes and the second for the values',
  ];
  const fields = fieldSet(notes);
  const x =
    second === undefined || first === undefined
      ? undefined
      : {
          fieldName: fields.plain(first),
          displayName: textIn(options, 'xAxisLabel') ?? first,
          scale: { type: 'categorical' },
        };
  const title = textIn(options, 'yAxisLabel');
  return boxPlot(
    { x, column, axis: { scale: { type: 'quantitative' }, ...(title !== undefined && { axis: { title } }) } },
    fields,
    notes,
  );
}
