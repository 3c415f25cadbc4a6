/** Combinations of bars and lines: bars on the first axis, lines on the second. */
import { omitUndefined, getNumber, getText } from '../json-fields.ts';
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

export function mapCombo({ options, columns, fields, notes }: ChartContext): WidgetDraft | undefined {
  const { x, y, series } = columns;
  const [first] = y;
  if (x === undefined || first === undefined) return undefined;
  const axes = axesOf(options);
  const xField = fields.addTransformed(x.column, x.transform);
  const own = getText(options, 'globalSeriesType')?.toLowerCase() ?? 'column';
  const typed = y.map((column, index) => {
    const option = seriesOption(options, column);
    // Of a combination that does not say, the first series are the bars.
    const type =
      getText(option, 'type')?.toLowerCase() ?? (own === 'combo' ? (index === 0 ? 'column' : 'line') : own);
    return {
      field: createValueField({ fields, options }, column),
      isBar: bars.has(type),
      type,
      axis: getNumber(option, 'yAxis') ?? 0,
      color: colorOf(option),
    };
  });
  for (const { field, type } of typed) {
    if (type !== 'line' && !bars.has(type))
      notes.push(`the series ${String(field['displayName'])} is shown as a line instead of as ${type}`);
  }
  if (typed.some(({ isBar, axis }) => isBar === (axis === 1)))
    notes.push('bars are measured on the first y axis and lines on the second');
  const [primary, secondary] = [true, false].map((isBar) => typed.filter((one) => one.isBar === isBar));
  const scale = scaleOf(axes.x, x, 'categorical');
  const format = valueFormat(options);
  const side = (entries: typeof typed | undefined, title: string | undefined): object =>
    omitUndefined({
      fields: (entries ?? []).map(({ field }) => omitUndefined({ ...field, format })),
      axis: title === undefined ? undefined : { title },
    });
  const colors = typed.map(({ color }) => color);
  const legend = legendOf(options);
  if (series !== undefined)
    notes.push(
      `a combination cannot part its values by ${series.column}; the column stays in the widget's data`,
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
