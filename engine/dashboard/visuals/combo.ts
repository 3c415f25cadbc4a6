/** Combinations of bars and lines: bars on the first axis, lines on the second. */
import { given, numberIn, textIn } from '../reading.ts';
import type { ChartDraft } from './chart-draft.ts';
import {
  axesOf,
  axisEncoding,
  axisTitle,
  colourIn,
  labelOf,
  legendOf,
  scaleOf,
  seriesOption,
  sortOf,
  valueFormat,
} from './chart-styles.ts';
import { valueField } from './value-field.ts';
import type { Visual } from './visual.ts';

const bars = new Set(['column', 'bar']);

export function combo({ options, columns, fields, notes }: ChartDraft): Visual | undefined {
  const { x, y, series } = columns;
  const [first] = y;
  if (x === undefined || first === undefined) return undefined;
  const axes = axesOf(options);
  const xField = fields.transformed(x.column, x.transform);
  const own = textIn(options, 'globalSeriesType')?.toLowerCase() ?? 'column';
  const typed = y.map((column, index) => {
    const option = seriesOption(options, column);
    // Of a combination that does not say, the first series are the bars.
    const type =
      textIn(option, 'type')?.toLowerCase() ?? (own === 'combo' ? (index === 0 ? 'column' : 'line') : own);
    return {
      field: valueField({ fields, options }, column),
      isBar: bars.has(type),
      type,
      axis: numberIn(option, 'yAxis') ?? 0,
      color: colourIn(option),
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
    given({
      fields: (entries ?? []).map(({ field }) => given({ ...field, format })),
      axis: title === undefined ? undefined : { title },
    });
  const colors = typed.map(({ color }) => color);
  const legend = legendOf(options);
  if (series !== undefined)
    notes.push(
      `a combination cannot part its values by ${series.column}; the column stays in the widget's data`,
    );
  if (series !== undefined) fields.transformed(series.column, series.transform);
  return {
    type: 'combo',
    fields: fields.fields,
    disaggregated: !fields.aggregates(),
    notes,
    encodings: given({
      x: {
        fieldName: xField,
        displayName: x.column,
        ...axisEncoding(
          axes.x,
          given({ type: scale, sort: scale === 'categorical' ? sortOf(options) : undefined }),
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
