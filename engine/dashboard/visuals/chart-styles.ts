/** Colours, titles, scales, sorting and formats of charts. */
import {
  fieldsIn,
  fieldsOf,
  given,
  isFalse,
  isTrue,
  numberIn,
  objectsIn,
  own,
  textIn,
  type Fields,
} from '../reading.ts';
import type { ChartColumn } from './chart-columns.ts';
import { numberFormat } from './formats.ts';
import { dateUnit } from './visual.ts';

const colour = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Options of one series, which stand under the id of its column, the column, or its value. */
export function seriesOption(options: Fields, { id, column }: Pick<ChartColumn, 'id' | 'column'>): Fields {
  const all = fieldsIn(options, 'seriesOptions');
  const byId = fieldsIn(all, id);
  return Object.keys(byId).length > 0 ? byId : fieldsIn(all, column);
}

export function colourIn(option: Fields): string | undefined {
  const text = textIn(option, 'color');
  return text !== undefined && colour.test(text) ? text : undefined;
}

/** Options that stand under a value of a column: not those of the columns of values themselves. */
function valueOptions(
  options: Fields,
  key: 'seriesOptions' | 'valuesOptions',
  columns: readonly ChartColumn[],
): [string, unknown][] {
  const others = new Set(columns.flatMap(({ id, column }) => [id, column]));
  return Object.entries(fieldsIn(options, key)).filter(([value]) => !others.has(value));
}

/** Colours of values, as the scale of a colour has them; undefined when there are none. */
export function colourMappings(
  options: Fields,
  key: 'seriesOptions' | 'valuesOptions',
  columns: readonly ChartColumn[],
): readonly object[] | undefined {
  const mappings = valueOptions(options, key, columns).flatMap(([value, option]) => {
    const color = colourIn(fieldsOf(option));
    return color === undefined ? [] : [{ value, color }];
  });
  return mappings.length > 0 ? mappings : undefined;
}

/** Values of a series that were given another name, which the newer format cannot do. */
export function renamedValues(
  options: Fields,
  key: 'seriesOptions' | 'valuesOptions',
  columns: readonly ChartColumn[],
): string[] {
  return valueOptions(options, key, columns).flatMap(([value, option]) => {
    const name = textIn(fieldsOf(option), 'name') ?? textIn(fieldsOf(option), 'label');
    return name === undefined || name === value ? [] : [`${value} (${name})`];
  });
}

export type Scale = 'quantitative' | 'temporal' | 'categorical';

const temporalName = /date|time|(?:^|_)(?:ts|at|day|week|month)$/i;

/** The scale of the x axis: as it was chosen, by what is done with a date, or by the name of the column. */
export function scaleOf(axis: Fields, { column, transform }: ChartColumn, otherwise: Scale): Scale {
  switch ((textIn(axis, 'type') ?? '-').toLowerCase()) {
    case 'category':
      return 'categorical';
    case 'datetime':
      return 'temporal';
    case 'linear':
    case 'logarithmic':
      return 'quantitative';
    default:
      return dateUnit(transform) !== undefined || temporalName.test(column) ? 'temporal' : otherwise;
  }
}

/** The axis options: x stands alone, y is a list of one or two. */
export function axesOf(options: Fields): { readonly x: Fields; readonly y: readonly Fields[] } {
  const y = own(options, 'yAxis');
  return { x: fieldsIn(options, 'xAxis'), y: Array.isArray(y) ? objectsIn(options, 'yAxis') : [fieldsOf(y)] };
}

export function axisTitle(axis: Fields): string | undefined {
  return textIn(fieldsIn(axis, 'title'), 'text') ?? textIn(axis, 'title');
}

/** What of an axis is kept beside its field: title, hidden labels, and on a number axis its limits. */
export function axisEncoding(axis: Fields, scale: Fields): Fields {
  const title = axisTitle(axis);
  const hideLabels = isFalse(fieldsIn(axis, 'labels'), 'enabled') ? true : undefined;
  const [min, max] = [numberIn(axis, 'rangeMin'), numberIn(axis, 'rangeMax')];
  const domain =
    scale['type'] === 'quantitative' && (min !== undefined || max !== undefined)
      ? given({ min, max })
      : undefined;
  const kept = given({ title, hideLabels });
  return given({ scale: given({ ...scale, domain }), axis: Object.keys(kept).length > 0 ? kept : undefined });
}

/** The order of categories. */
export function sortOf(options: Fields): Fields | undefined {
  if (isFalse(options, 'sortX'))
    return isTrue(options, 'reverseX') ? { by: 'natural-order-reversed' } : undefined;
  if (isTrue(options, 'sortX') || isTrue(options, 'reverseX'))
    return { by: isTrue(options, 'reverseX') ? 'natural-order-reversed' : 'natural-order' };
  return undefined;
}

/** The format of values: as percentages where the chart shows shares. */
export function valueFormat(options: Fields, isShare = false): unknown {
  return numberFormat(
    textIn(options, isShare ? 'percentFormat' : 'numberFormat') ?? textIn(options, 'numberFormat'),
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

export function legendOf(options: Fields): Fields | undefined {
  const legend = fieldsIn(options, 'legend');
  if (isFalse(legend, 'enabled')) return { hide: true };
  const position = legendPlaces.get((textIn(legend, 'placement') ?? '').toLowerCase());
  return position === undefined ? undefined : { position };
}

/** Whether values stand at the marks. */
export function labelOf(options: Fields): Fields | undefined {
  return isTrue(options, 'showDataLabels') ? { show: true } : undefined;
}
