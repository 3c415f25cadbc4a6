/** Charts that are not drawn along two axes of values: pies, histograms, heatmaps and boxes. */
import { given, numberIn, textIn, type Fields } from '../reading.ts';
import type { ChartColumn } from './chart-columns.ts';
import type { ChartDraft } from './chart-draft.ts';
import {
  axesOf,
  axisEncoding,
  colourMappings,
  labelOf,
  legendOf,
  renamedValues,
  scaleOf,
  sortOf,
  valueFormat,
} from './chart-styles.ts';
import { valueField } from './value-field.ts';
import { quoted, type Visual } from './visual.ts';

/** The values become angles, the categories colours. */
export function pie({ options, columns, fields, notes }: ChartDraft): Visual | undefined {
  const { x, y, series } = columns;
  const [value, ...others] = y;
  const category = x ?? series;
  if (value === undefined || category === undefined) return undefined;
  const color = fields.transformed(category.column, category.transform);
  const angle = valueField({ fields, options }, value);
  for (const { column } of others)
    notes.push(`of several values a pie shows one; ${column} stays in the widget's data`);
  for (const { column, transform } of others) fields.transformed(column, transform);
  if (x !== undefined && series !== undefined) {
    notes.push(
      `a pie for each value of ${series.column} becomes one pie; the column stays in the widget's data`,
    );
    fields.transformed(series.column, series.transform);
  }
  const renamed = renamedValues(options, 'valuesOptions', y);
  if (renamed.length > 0)
    notes.push(`names given to values of ${category.column} are not kept: ${renamed.slice(0, 5).join(', ')}`);
  return {
    type: 'pie',
    fields: fields.fields,
    disaggregated: !fields.aggregates(),
    notes,
    encodings: given({
      angle: { ...angle, scale: { type: 'quantitative' }, ...given({ format: valueFormat(options) }) },
      color: given({
        fieldName: color,
        displayName: category.column,
        scale: given({
          type: 'categorical',
          mappings:
            colourMappings(options, 'valuesOptions', y) ?? colourMappings(options, 'seriesOptions', y),
          sort: sortOf(options),
        }),
        legend: legendOf(options),
      }),
      label: labelOf(options),
    }),
  };
}

/** How often values fall into intervals: counted by the widget where the width of the intervals is known. */
export function histogram({ options, columns, fields, notes }: ChartDraft): Visual | undefined {
  const [column, ...others] = columns.x === undefined ? columns.y : [columns.x, ...columns.y];
  if (column === undefined) return undefined;
  for (const other of others) notes.push(`a histogram shows one column; ${other.column} is left out`);
  const axes = axesOf(options);
  const width = numberIn(options, 'binWidth') ?? numberIn(options, 'binSize');
  const bins = numberIn(options, 'numBins') ?? numberIn(options, 'numberOfBins');
  if (width === undefined && bins !== undefined) notes.push(`its ${bins} intervals are chosen by the widget`);
  const name =
    width !== undefined && width > 0
      ? fields.expression(
          `bin(${column.column}, binWidth=${width})`,
          `BIN_FLOOR(${quoted(column.column)}, ${width})`,
        )
      : fields.plain(column.column);
  const count = width !== undefined && width > 0 ? fields.count() : undefined;
  return {
    type: 'histogram',
    fields: fields.fields,
    disaggregated: !fields.aggregates(),
    notes,
    encodings: given({
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

/** Two categories, and a value as the colour of each cell. */
export function heatmap({ options, columns, fields, notes }: ChartDraft): Visual | undefined {
  const {
    x,
    y: [y],
    value,
  } = columns;
  const cell = value ?? columns.series;
  if (x === undefined || y === undefined || cell === undefined) return undefined;
  const axes = axesOf(options);
  const axis = (column: ChartColumn, style: Fields): object => {
    const type = scaleOf(style, column, 'categorical');
    return {
      fieldName: fields.transformed(column.column, column.transform),
      displayName: column.column,
      ...axisEncoding(style, { type }),
    };
  };
  return {
    type: 'heatmap',
    notes,
    encodings: given({
      x: axis(x, axes.x),
      y: axis(y, axes.y[0] ?? {}),
      color: {
        fieldName: fields.transformed(cell.column, cell.transform),
        displayName: cell.column,
        scale: given({ type: 'quantitative', colorRamp: rampOf(options) }),
        ...given({ format: valueFormat(options), legend: legendOf(options) }),
      },
      label: labelOf(options),
    }),
    fields: fields.fields,
    disaggregated: !fields.aggregates(),
  };
}

function rampOf(options: Fields): object | undefined {
  const [start, end] = [textIn(options, 'heatMinColor'), textIn(options, 'heatMaxColor')];
  if (start !== undefined && end !== undefined) return { mode: 'custom-sequential', colors: { start, end } };
  const scheme = textIn(options, 'colorScheme');
  return scheme === undefined || /^custom/i.test(scheme)
    ? undefined
    : { mode: 'scheme', scheme: scheme.toLowerCase() };
}

/** Spread of values: the widget computes the quartiles. */
export function box({ options, columns, fields, notes }: ChartDraft): Visual | undefined {
  const {
    x,
    y: [y, ...others],
  } = columns;
  if (y === undefined) return undefined;
  for (const { column } of others) notes.push(`a box plot shows one column of values; ${column} is left out`);
  const axes = axesOf(options);
  return boxPlot(
    {
      x:
        x === undefined
          ? undefined
          : {
              fieldName: fields.plain(x.column),
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

/** @param shown what stands on the x axis, the column of values, and the options of the y axis */
export function boxPlot(
  { x, column, axis }: { readonly x: Fields | undefined; readonly column: string; readonly axis: Fields },
  fields: ChartDraft['fields'],
  notes: readonly string[],
): Visual {
  const name = quoted(column);
  const part = (label: string, expression: string): object => ({
    fieldName: fields.expression(`${label}(${column})`, expression),
  });
  return {
    type: 'box',
    notes,
    encodings: given({
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
