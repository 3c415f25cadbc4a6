/** Converts classic parameters to parameters of a dataset of the modern format. */
import { truncateText } from '../validation/messages.ts';
import type { ClassicParameter, ParameterKind, ParameterValue } from './classic-parameters.ts';
import type { DataType, ModernParameter, Selection } from './modern.ts';

export interface ConvertedParameter {
  readonly parameter: ModernParameter;
  /** Notes on what could not be converted exactly, as half sentences. */
  readonly notes: readonly string[];
}

/** Converts a parameter. @param value default value, if not its own */
export function toModernParameter(
  parameter: ClassicParameter,
  keyword: string,
  value: ParameterValue = parameter.value,
): ConvertedParameter {
  const isRange = parameter.kind === 'date-range' || parameter.kind === 'datetime-range';
  const dataType = dataTypeOf(parameter.kind, value);
  const notes: string[] = [];
  const selection = isRange
    ? createRangeSelection(parameter, dataType, value, notes)
    : createValueSelection(parameter, dataType, value, notes);
  const complexType = isRange
    ? ('RANGE' as const)
    : parameter.multiple === undefined
      ? undefined
      : ('MULTI' as const);
  return {
    parameter: {
      displayName: parameter.title,
      keyword,
      dataType,
      ...(complexType !== undefined && { complexType }),
      defaultSelection: selection,
    },
    notes,
  };
}

function dataTypeOf(kind: ParameterKind, value: ParameterValue): DataType {
  switch (kind) {
    case 'text':
    case 'enum':
    case 'query':
      return 'STRING';
    case 'number': {
      const [text = ''] = value.kind === 'values' ? value.values : [];
      return /^[+-]?\d+$/.test(text.trim()) ? 'INTEGER' : 'DECIMAL';
    }
    case 'date':
    case 'date-range':
      return 'DATE';
    case 'datetime':
    case 'datetime-range':
      return 'DATETIME';
  }
}

function createValueSelection(
  { name, kind, multiple }: ClassicParameter,
  dataType: DataType,
  value: ParameterValue,
  notes: string[],
): Selection {
  const isDate = kind === 'date' || kind === 'datetime';
  const texts =
    value.kind === 'values'
      ? value.values
      : value.kind === 'range'
        ? [value.start]
        : [relativeDateOf(value.name, kind)];
  if (value.kind === 'range') notes.push(`the parameter ${name} is set to a range; only the start is kept`);
  const kept = multiple === undefined ? texts.slice(0, 1) : texts;
  if (kept.length < texts.length)
    notes.push(`the parameter ${name} takes one value and is set to ${texts.length}; only the first is kept`);
  const values = kept
    .filter((text) => kind !== 'number' || text !== '')
    .map((text) => ({ value: isDate ? toIsoDateTime(text) : text }));
  const invalidValue =
    kind === 'number' ? values.find((one) => !Number.isFinite(Number(one.value))) : undefined;
  if (invalidValue !== undefined)
    notes.push(`the parameter ${name} is a number and set to ${truncateText(invalidValue.value, 40)}`);
  return { values: { dataType, values } };
}

function createRangeSelection(
  { name, kind }: ClassicParameter,
  dataType: DataType,
  value: ParameterValue,
  notes: string[],
): Selection {
  const range = (min: string, max: string): Selection => ({
    range: { dataType, min: { value: min }, max: { value: max } },
  });
  if (value.kind === 'range') return range(toIsoDateTime(value.start), toIsoDateTime(value.end));
  if (value.kind === 'dynamic') {
    const [min, max] = dynamicRanges.get(value.name) ?? ['now/d', 'now/d'];
    return range(min, max);
  }
  const [only] = value.values;
  if (only !== undefined) return range(toIsoDateTime(only), toIsoDateTime(only));
  notes.push(`the range ${name} is not set; its default is ${kind === 'date-range' ? 'today' : 'now'}`);
  return kind === 'date-range' ? range('now/d', 'now/d') : range('now', 'now');
}

/** Name of a relative range -> its ends; the start is rounded down to a whole unit and the end up. */
const dynamicRanges: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['now', ['now', 'now']],
  ['today', ['now/d', 'now/d']],
  ['yesterday', ['now-1d/d', 'now-1d/d']],
  ['this_week', ['now/w', 'now/w']],
  ['this_month', ['now/M', 'now/M']],
  ['this_year', ['now/y', 'now/y']],
  ['last_week', ['now-1w/w', 'now-1w/w']],
  ['last_month', ['now-1M/M', 'now-1M/M']],
  ['last_year', ['now-1y/y', 'now-1y/y']],
  ['last_hour', ['now-1h', 'now']],
  ['last_8_hours', ['now-8h', 'now']],
  ['last_24_hours', ['now-24h', 'now']],
  ['last_7_days', ['now-7d/d', 'now/d']],
  ['last_14_days', ['now-14d/d', 'now/d']],
  ['last_30_days', ['now-30d/d', 'now/d']],
  ['last_60_days', ['now-60d/d', 'now/d']],
  ['last_90_days', ['now-90d/d', 'now/d']],
  ['last_12_months', ['now-12M/d', 'now/d']],
]);

/** Returns a relative date by its name: the start of the range of that name. */
function relativeDateOf(name: string, kind: ParameterKind): string {
  if (name === 'now') return kind === 'datetime' ? 'now' : 'now/d';
  return (dynamicRanges.get(name) ?? ['now/d'])[0];
}

/** Returns a date, or date and time, in the modern format; any other text is returned unchanged. */
function toIsoDateTime(text: string): string {
  const [, date, hours, minutes = '00', seconds = '00', fraction = '000'] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d{3})\d*)?)?)?)?$/.exec(text.trim()) ??
    [];
  return date === undefined ? text : `${date}T${hours ?? '00'}:${minutes}:${seconds}.${fraction}`;
}
