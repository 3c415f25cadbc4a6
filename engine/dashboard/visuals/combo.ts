/** Maps combinations of bars, on the first y axis, and lines, on the second. */
import { omitUndefined, getNumber, getText, type JsonObject } from '../json-fields.ts';
import type { ChartContext } from './chart-context.ts';
import {
  axesOf,
  axisEncoding,
  axisTitle,
  colorOf,
  labelOf,
  legendOf,
  scaleOf,
  seriesOption,
  sortOf,
  valueFormat,
} from './chart-styles.ts';
import { createValueField } from './value-field.ts';
import type { WidgetDraft } from './visual.ts';

const bars = new Set(['column', 'bar']);

interface ComboSeries {
  readonly field: JsonObject;
  readonly isBar: boolean;
  readonly color: string | undefined;
}

/** Returns the series of a combination, and adds notes on those that look different. */
function comboSeriesOf({ options, columns, fields, notes }: ChartContext): readonly ComboSeries[] {
  const chartType = getText(options, 'globalSeriesType')?.toLowerCase() ?? 'column';
  const series = columns.y.map((column, index) => {
    const option = seriesOption(options, column);
    // In a combination without types, the first series are the bars.
    const type =
      getText(option, 'type')?.toLowerCase() ??
      (chartType === 'combo' ? (index === 0 ? 'column' : 'line') : chartType);
    return {
      field: createValueField({ fields, options }, column),
      isBar: bars.has(type),
      type,
      axis: getNumber(option, 'yAxis') ?? 0,
      color: colorOf(option),
    };
  });
  for (const { field, type } of series) {
    if (type !== 'line' && !bars.has(type))
      notes.push(`the series ${String(field['displayName'])} is shown as a line instead of as ${type}`);
  }
  if (series.some(({ isBar, axis }) => isBar === (axis === 1)))
    notes.push('bars are measured on the first y axis and lines on the second');
  return series;
}

export function mapCombo(context: ChartContext): WidgetDraft | undefined {
  const { options, columns, fields, notes } = context;
  const { x, y, series } = columns;
  if (x === undefined || y.length === 0) return undefined;
  const axes = axesOf(options);
  const xField = fields.addTransformed(x.column, x.transform);
  const comboSeries = comboSeriesOf(context);
  const [primary, secondary] = [true, false].map((isBar) => comboSeries.filter((one) => one.isBar === isBar));
  const scale = scaleOf(axes.x, x, 'categorical');
  const format = valueFormat(options);
  const side = (entries: readonly ComboSeries[] | undefined, title: string | undefined): object =>
    omitUndefined({
      fields: (entries ?? []).map(({ field }) => omitUndefined({ ...field, format })),
      axis: title === undefined ? undefined : { title },
    });
  const colors = comboSeries.map(({ color }) => color);
  const legend = legendOf(options);
  if (series !== undefined)
    notes.push(
      `a combination cannot split its values by ${series.column}; the column stays in the widget's data`,
    );
  if (series !== undefined) fields.addTransformed(series.column, series.transform);
  return {
    type: 'combo',
    fields: fields.fields,
    disaggregated: !fields.hasAggregates(),
    notes,
    encodings: omitUndefined({
      x: {
        fieldName: xField,
        displayName: x.column,
        ...axisEncoding(
          axes.x,
          omitUndefined({ type: scale, sort: scale === 'categorical' ? sortOf(options) : undefined }),
        ),
      },
      y: {
        ...axisEncoding(axes.y[0] ?? {}, { type: 'quantitative' }),
        primary: side(primary, axisTitle(axes.y[0] ?? {})),
        secondary: side(secondary, axisTitle(axes.y[1] ?? {})),
      },
      color: legend === undefined ? undefined : { legend },
      label: labelOf(options),
    }),
    ...(colors.every((color) => color !== undefined) && { mark: { colors } }),
  };
}
