/** Reads the parameters of a classic query, which have an older and a newer shape. */
import {
  getObject,
  toJsonObject,
  getList,
  getNumber,
  getObjects,
  getOwn,
  getText,
  type JsonObject,
} from './json-fields.ts';

export type ParameterKind =
  | 'text'
  | 'number'
  | 'enum'
  | 'query'
  | 'date'
  | 'datetime'
  | 'date-range'
  | 'datetime-range';

/** Value of a parameter: one or several values, the two ends of a range, or the name of a relative date. */
export type ParameterValue =
  | { readonly kind: 'values'; readonly values: readonly string[] }
  | { readonly kind: 'range'; readonly start: string; readonly end: string }
  | { readonly kind: 'dynamic'; readonly name: string };

export interface ClassicParameter {
  readonly name: string;
  readonly title: string;
  readonly kind: ParameterKind;
  /** Text around and between the values, for a parameter with several values. */
  readonly multiple:
    | { readonly prefix: string; readonly suffix: string; readonly separator: string }
    | undefined;
  /** Choices of an enum. */
  readonly options: readonly string[];
  /** Query whose result is the list of choices. */
  readonly queryId: string | undefined;
  readonly value: ParameterValue;
  /** Unit to which dates are set. */
  readonly precision: 'day' | 'minute' | 'second';
}

interface TypeMapping {
  readonly kind: ParameterKind;
  readonly precision?: ClassicParameter['precision'];
}

const typeMappings: ReadonlyMap<string, TypeMapping> = new Map<string, TypeMapping>([
  ['text', { kind: 'text' }],
  ['number', { kind: 'number' }],
  ['enum', { kind: 'enum' }],
  ['query', { kind: 'query' }],
  ['date', { kind: 'date' }],
  ['datetime', { kind: 'datetime', precision: 'minute' }],
  ['datetime-local', { kind: 'datetime', precision: 'minute' }],
  ['datetime-with-seconds', { kind: 'datetime', precision: 'second' }],
  ['date-range', { kind: 'date-range' }],
  ['datetime-range', { kind: 'datetime-range', precision: 'minute' }],
  ['datetime-range-with-seconds', { kind: 'datetime-range', precision: 'second' }],
]);

/** Returns the parameters that a query declares; of two with the same name, the first counts. */
export function parseParameters(options: JsonObject): ClassicParameter[] {
  const found = new Map<string, ClassicParameter>();
  for (const fields of getObjects(options, 'parameters')) {
    const name = getText(fields, 'name')?.trim();
    if (name !== undefined && !found.has(name)) found.set(name, parseParameter(name, fields));
  }
  return [...found.values()];
}

/** Returns a parameter that the query uses and does not declare. */
export function createUndeclaredParameter(name: string, isRange: boolean): ClassicParameter {
  return {
    name,
    title: name,
    kind: isRange ? 'date-range' : 'text',
    multiple: undefined,
    options: [],
    queryId: undefined,
    value: emptyValue,
    precision: 'day',
  };
}

/** Parses the value in a mapping of a widget; undefined when there is none. */
export function parseOptionalValue(value: unknown): ParameterValue | undefined {
  return value === undefined || value === null ? undefined : parseValue(value);
}

const emptyValue: ParameterValue = { kind: 'values', values: [] };

function parseParameter(name: string, fields: JsonObject): ClassicParameter {
  const title = getText(fields, 'title') ?? name;
  const newer = newerFormatParsers.find(
    ([key]) => typeof getOwn(fields, key) === 'object' && getOwn(fields, key) !== null,
  );
  if (newer !== undefined)
    return { ...createUndeclaredParameter(name, false), title, ...newer[1](getObject(fields, newer[0])) };
  const { kind, precision = 'day' } = typeMappings.get((getText(fields, 'type') ?? 'text').toLowerCase()) ?? {
    kind: 'text',
  };
  return {
    name,
    title,
    kind,
    precision,
    multiple: multipleOf(fields, 'multiValuesOptions'),
    options: parseChoices(getOwn(fields, 'enumOptions')),
    queryId: getId(fields, 'queryId'),
    value: parseValue(getOwn(fields, 'value')),
  };
}

/** Key of the newer shape -> its parser. */
const newerFormatParsers: readonly (readonly [string, (shape: JsonObject) => Partial<ClassicParameter>])[] = [
  ['text_value', (shape) => ({ kind: 'text', value: parseValue(getOwn(shape, 'value')) })],
  ['numeric_value', (shape) => ({ kind: 'number', value: parseValue(getOwn(shape, 'value')) })],
  [
    'enum_value',
    (shape) => ({
      kind: 'enum',
      options: parseChoices(getOwn(shape, 'enum_options')),
      value: parseValue(getList(shape, 'values')),
      multiple: multipleOf(shape, 'multi_values_options'),
    }),
  ],
  [
    'query_backed_value',
    (shape) => ({
      kind: 'query',
      queryId: getId(shape, 'query_id'),
      value: parseValue(getList(shape, 'values')),
      multiple: multipleOf(shape, 'multi_values_options'),
    }),
  ],
  [
    'date_value',
    (shape) => ({
      ...precisionOf(shape, 'date', 'datetime'),
      value: parseValue(getOwn(shape, 'dynamic_date_value') ?? getOwn(shape, 'date_value')),
    }),
  ],
  [
    'date_range_value',
    (shape) => ({
      ...precisionOf(shape, 'date-range', 'datetime-range'),
      value: parseValue(getOwn(shape, 'dynamic_date_range_value') ?? getOwn(shape, 'date_range_value')),
    }),
  ],
];

function precisionOf(
  shape: JsonObject,
  day: ParameterKind,
  time: ParameterKind,
): Pick<ClassicParameter, 'kind' | 'precision'> {
  const precision = (getText(shape, 'precision') ?? '').toLowerCase();
  if (precision.startsWith('second')) return { kind: time, precision: 'second' };
  return precision.startsWith('minute')
    ? { kind: time, precision: 'minute' }
    : { kind: day, precision: 'day' };
}

function multipleOf(fields: JsonObject, key: string): ClassicParameter['multiple'] {
  const options = getOwn(fields, key);
  if (typeof options !== 'object' || options === null) return undefined;
  const text = (name: string, defaultValue: string): string => {
    const value = getOwn(toJsonObject(options), name);
    return typeof value === 'string' ? value : defaultValue;
  };
  return { prefix: text('prefix', ''), suffix: text('suffix', ''), separator: text('separator', ',') };
}

function parseChoices(value: unknown): string[] {
  const lines =
    typeof value === 'string' ? value.split(/\r?\n/) : Array.isArray(value) ? value.map(toPlainText) : [];
  return [...new Set(lines.filter((line): line is string => line !== undefined && line !== ''))];
}

function parseValue(value: unknown): ParameterValue {
  if (Array.isArray(value))
    return { kind: 'values', values: value.map(toPlainText).filter((text) => text !== undefined) };
  if (typeof value === 'object' && value !== null) {
    const [start, end] = [
      toPlainText(getOwn(toJsonObject(value), 'start')),
      toPlainText(getOwn(toJsonObject(value), 'end')),
    ];
    return start === undefined || end === undefined ? emptyValue : { kind: 'range', start, end };
  }
  const text = toPlainText(value);
  if (text === undefined) return emptyValue;
  const name = /^d_[a-z0-9_]+$/.test(text)
    ? text.slice(2)
    : /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(text)
      ? text.toLowerCase()
      : undefined;
  return name !== undefined && dynamicNames.has(name)
    ? { kind: 'dynamic', name }
    : { kind: 'values', values: [text] };
}

/** Names of relative dates and ranges, in lower case and without the prefix of older ones. */
const dynamicNames: ReadonlySet<string> = new Set([
  'now',
  'today',
  'yesterday',
  'this_week',
  'this_month',
  'this_year',
  'last_week',
  'last_month',
  'last_year',
  'last_hour',
  'last_8_hours',
  'last_24_hours',
  'last_7_days',
  'last_14_days',
  'last_30_days',
  'last_60_days',
  'last_90_days',
  'last_12_months',
]);

function toPlainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function getId(fields: JsonObject, key: string): string | undefined {
  return getText(fields, key) ?? getNumber(fields, key)?.toString();
}
