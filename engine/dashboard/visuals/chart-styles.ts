/** Reads colours, titles, scales, sorting and formats of charts. */
import {
  getObject,
  toJsonObject,
  omitUndefined,
  isFalse,
  isTrue,
  getNumber,
  getObjects,
  getOwn,
  getText,
  type JsonObject,
} from '../json-fields.ts';
import type { ChartColumn } from './chart-columns.ts';
import { parseNumberFormat } from './number-format.ts';
import { dateUnit } from './visual.ts';

const colour = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Returns the options of a series, by the id of its column or by the column. */
export function seriesOption(
  options: JsonObject,
  { id, column }: Pick<ChartColumn, 'id' | 'column'>,
): JsonObject {
  const all = getObject(options, 'seriesOptions');
  const byId = getObject(all, id);
  return Object.keys(byId).length > 0 ? byId : getObject(all, column);
}

export function colorOf(option: JsonObject): string | undefined {
  const text = getText(option, 'color');
  return text !== undefined && colour.test(text) ? text : undefined;
}

/** Returns the options of values of a column, without the options of the value columns themselves. */
function valueOptions(
  options: JsonObject,
  key: 'seriesOptions' | 'valuesOptions',
  columns: readonly ChartColumn[],
): [string, unknown][] {
  const others = new Set(columns.flatMap(({ id, column }) => [id, column]));
  return Object.entries(getObject(options, key)).filter(([value]) => !others.has(value));
}

/** Returns the colours of values for a colour scale; undefined when there are none. */
export function colorMappings(
  options: JsonObject,
  key: 'seriesOptions' | 'valuesOptions',
  columns: readonly ChartColumn[],
): readonly object[] | undefined {
  const mappings = valueOptions(options, key, columns).flatMap(([value, option]) => {
    const color = colorOf(toJsonObject(option));
    return color === undefined ? [] : [{ value, color }];
  });
  return mappings.length > 0 ? mappings : undefined;
}

/** Returns the renamed values of a series, which the modern format does not support. */
export function renamedValues(
  options: JsonObject,
  key: 'seriesOptions' | 'valuesOptions',
  columns: readonly ChartColumn[],
): string[] {
  return valueOptions(options, key, columns).flatMap(([value, option]) => {
    const name = getText(toJsonObject(option), 'name') ?? getText(toJsonObject(option), 'label');
    return name === undefined || name === value ? [] : [`${value} (${name})`];
  });
}

export type Scale = 'quantitative' | 'temporal' | 'categorical';

const temporalName = /date|time|(?:^|_)(?:ts|at|day|week|month)$/i;

/** Returns the scale of the x axis: as configured, else by the transform, else by the name of the column. */
export function scaleOf(axis: JsonObject, { column, transform }: ChartColumn, defaultScale: Scale): Scale {
  switch ((getText(axis, 'type') ?? '-').toLowerCase()) {
    case 'category':
      return 'categorical';
    case 'datetime':
      return 'temporal';
    case 'linear':
    case 'logarithmic':
      return 'quantitative';
    default:
      return dateUnit(transform) !== undefined || temporalName.test(column) ? 'temporal' : defaultScale;
  }
}

/** Returns the options of the x axis, and of one or two y axes. */
export function axesOf(options: JsonObject): { readonly x: JsonObject; readonly y: readonly JsonObject[] } {
  const y = getOwn(options, 'yAxis');
  return {
    x: getObject(options, 'xAxis'),
    y: Array.isArray(y) ? getObjects(options, 'yAxis') : [toJsonObject(y)],
  };
}

export function axisTitle(axis: JsonObject): string | undefined {
  return getText(getObject(axis, 'title'), 'text') ?? getText(axis, 'title');
}

/** Encodes the title, hidden labels and, for numbers, the range of an axis. */
export function axisEncoding(axis: JsonObject, scale: JsonObject): JsonObject {
  const title = axisTitle(axis);
  const hideLabels = isFalse(getObject(axis, 'labels'), 'enabled') ? true : undefined;
  const [min, max] = [getNumber(axis, 'rangeMin'), getNumber(axis, 'rangeMax')];
  const domain =
    scale['type'] === 'quantitative' && (min !== undefined || max !== undefined)
      ? omitUndefined({ min, max })
      : undefined;
  const kept = omitUndefined({ title, hideLabels });
  return omitUndefined({
    scale: omitUndefined({ ...scale, domain }),
    axis: Object.keys(kept).length > 0 ? kept : undefined,
  });
}

/** Returns the order of categories. */
export function sortOf(options: JsonObject): JsonObject | undefined {
  if (isFalse(options, 'sortX'))
    return isTrue(options, 'reverseX') ? { by: 'natural-order-reversed' } : undefined;
  if (isTrue(options, 'sortX') || isTrue(options, 'reverseX'))
    return { by: isTrue(options, 'reverseX') ? 'natural-order-reversed' : 'natural-order' };
  return undefined;
}

/** Returns the format of values. @param isShare whether the chart shows shares, as percentages */
export function valueFormat(options: JsonObject, isShare = false): unknown {
  return parseNumberFormat(
    getText(options, isShare ? 'percentFormat' : 'numberFormat') ?? getText(options, 'numberFormat'),
  );
}

const legendPlaces: ReadonlyMap<string, string> = new Map([
  ['below', 'bottom'],
  ['bottom', 'bottom'],
  ['right', 'right'],
  ['left', 'left'],
  ['top', 'top'],
  ['above', 'top'],
]);

export function legendOf(options: JsonObject): JsonObject | undefined {
  const legend = getObject(options, 'legend');
  if (isFalse(legend, 'enabled')) return { hide: true };
  const position = legendPlaces.get((getText(legend, 'placement') ?? '').toLowerCase());
  return position === undefined ? undefined : { position };
}

/** Returns the label encoding of a chart that shows values at its marks. */
export function labelOf(options: JsonObject): JsonObject | undefined {
  return isTrue(options, 'showDataLabels') ? { show: true } : undefined;
}
