/** Maps charts without two axes of values: pies, histograms, heatmaps and box plots. */
import { omitUndefined, getNumber, getText, type JsonObject } from '../json-fields.ts';
import type { ChartColumn } from './chart-columns.ts';
import type { ChartContext } from './chart-context.ts';
import {
  axesOf,
  axisEncoding,
  colorMappings,
  labelOf,
  legendOf,
  renamedValues,
  scaleOf,
  sortOf,
  valueFormat,
} from './chart-styles.ts';
import { createValueField } from './value-field.ts';
import { quoteColumn, type WidgetDraft } from './visual.ts';

/** Maps a pie: values are angles, categories are colours. */
export function mapPie({ options, columns, fields, notes }: ChartContext): WidgetDraft | undefined {
  const { x, y, series } = columns;
  const [value, ...others] = y;
  const category = x ?? series;
  if (value === undefined || category === undefined) return undefined;
  const color = fields.addTransformed(category.column, category.transform);
  const angle = createValueField({ fields, options }, value);
  for (const { column } of others)
    notes.push(`a pie shows one of several values; ${column} stays in the widget's data`);
  for (const { column, transform } of others) fields.addTransformed(column, transform);
  if (x !== undefined && series !== undefined) {
    notes.push(
      `a pie for each value of ${series.column} becomes one pie; the column stays in the widget's data`,
    );
    fields.addTransformed(series.column, series.transform);
  }
  const renamed = renamedValues(options, 'valuesOptions', y);
  if (renamed.length > 0)
    notes.push(`names given to values of ${category.column} are not kept: ${renamed.slice(0, 5).join(', ')}`);
  return {
    type: 'pie',
    fields: fields.fields,
    disaggregated: !fields.hasAggregates(),
    notes,
    encodings: omitUndefined({
      angle: {
        ...angle,
        scale: { type: 'quantitative' },
        ...omitUndefined({ format: valueFormat(options) }),
      },
      color: omitUndefined({
        fieldName: color,
        displayName: category.column,
        scale: omitUndefined({
          type: 'categorical',
          mappings: colorMappings(options, 'valuesOptions', y) ?? colorMappings(options, 'seriesOptions', y),
          sort: sortOf(options),
        }),
        legend: legendOf(options),
      }),
      label: labelOf(options),
    }),
  };
}

/** Maps a histogram; the query counts the values where the width of the intervals is known. */
export function mapHistogram({ options, columns, fields, notes }: ChartContext): WidgetDraft | undefined {
  const [column, ...others] = columns.x === undefined ? columns.y : [columns.x, ...columns.y];
  if (column === undefined) return undefined;
  for (const other of others) notes.push(`a histogram shows one column; ${other.column} is left out`);
  const axes = axesOf(options);
  const width = getNumber(options, 'binWidth') ?? getNumber(options, 'binSize');
  const bins = getNumber(options, 'numBins') ?? getNumber(options, 'numberOfBins');
  if (width === undefined && bins !== undefined) notes.push(`its ${bins} intervals are chosen by the widget`);
  const name =
    width !== undefined && width > 0
      ? fields.addExpression(
          `bin(${column.column}, binWidth=${width})`,
          `BIN_FLOOR(${quoteColumn(column.column)}, ${width})`,
        )
      : fields.addColumn(column.column);
  const count = width !== undefined && width > 0 ? fields.addRowCount() : undefined;
  return {
    type: 'histogram',
    fields: fields.fields,
    disaggregated: !fields.hasAggregates(),
    notes,
    encodings: omitUndefined({
      x: { fieldName: name, displayName: column.column, ...axisEncoding(axes.x, { type: 'quantitative' }) },
      y:
        count === undefined
          ? undefined
          : {
              fieldName: count,
              displayName: count,
              ...axisEncoding(axes.y[0] ?? {}, { type: 'quantitative' }),
            },
      color: legendOf(options) === undefined ? undefined : { legend: legendOf(options) },
      label: labelOf(options),
    }),
  };
}

/** Maps a heatmap: two categories, and a value as the colour of each cell. */
export function mapHeatmap({ options, columns, fields, notes }: ChartContext): WidgetDraft | undefined {
  const {
    x,
    y: [y],
    value,
  } = columns;
  const cell = value ?? columns.series;
  if (x === undefined || y === undefined || cell === undefined) return undefined;
  const axes = axesOf(options);
  const axis = (column: ChartColumn, style: JsonObject): object => {
    const type = scaleOf(style, column, 'categorical');
    return {
      fieldName: fields.addTransformed(column.column, column.transform),
      displayName: column.column,
      ...axisEncoding(style, { type }),
    };
  };
  return {
    type: 'heatmap',
    notes,
    encodings: omitUndefined({
      x: axis(x, axes.x),
      y: axis(y, axes.y[0] ?? {}),
      color: {
        fieldName: fields.addTransformed(cell.column, cell.transform),
        displayName: cell.column,
        scale: omitUndefined({ type: 'quantitative', colorRamp: rampOf(options) }),
        ...omitUndefined({ format: valueFormat(options), legend: legendOf(options) }),
      },
      label: labelOf(options),
    }),
    fields: fields.fields,
    disaggregated: !fields.hasAggregates(),
  };
}

function rampOf(options: JsonObject): object | undefined {
  const [start, end] = [getText(options, 'heatMinColor'), getText(options, 'heatMaxColor')];
  if (start !== undefined && end !== undefined) return { mode: 'custom-sequential', colors: { start, end } };
  const scheme = getText(options, 'colorScheme');
  return scheme === undefined || /^custom/i.test(scheme)
    ? undefined
    : { mode: 'scheme', scheme: scheme.toLowerCase() };
}

/** Maps a box plot; the query computes the quartiles. */
export function mapBox({ options, columns, fields, notes }: ChartContext): WidgetDraft | undefined {
  const {
    x,
    y: [y, ...others],
  } = columns;
  if (y === undefined) return undefined;
  for (const { column } of others) notes.push(`a box plot shows one column of values; ${column} is left out`);
  const axes = axesOf(options);
  return createBoxPlot(
    {
      x:
        x === undefined
          ? undefined
          : {
              fieldName: fields.addColumn(x.column),
              displayName: x.column,
              ...axisEncoding(axes.x, { type: scaleOf(axes.x, x, 'categorical') }),
            },
      column: y.column,
      axis: axisEncoding(axes.y[0] ?? {}, { type: 'quantitative' }),
    },
    fields,
    notes,
  );
}

/** Returns a box plot of the x axis, the column of values and the options of the y axis. */
export function createBoxPlot(
  {
    x,
    column,
    axis,
  }: { readonly x: JsonObject | undefined; readonly column: string; readonly axis: JsonObject },
  fields: ChartContext['fields'],
  notes: readonly string[],
): WidgetDraft {
  const name = quoteColumn(column);
  const part = (label: string, expression: string): object => ({
    fieldName: fields.addExpression(`${label}(${column})`, expression),
  });
  return {
    type: 'box',
    notes,
    encodings: omitUndefined({
      x,
      y: {
        whiskerStart: part('min', `MIN(${name})`),
        boxStart: part('q1', `PERCENTILE(${name}, 0.25)`),
        boxMid: part('median', `MEDIAN(${name})`),
        boxEnd: part('q3', `PERCENTILE(${name}, 0.75)`),
        whiskerEnd: part('max', `MAX(${name})`),
        ...axis,
      },
    }),
    fields: fields.fields,
    disaggregated: false,
  };
}
