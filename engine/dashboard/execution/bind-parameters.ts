/** Binds the parameters of a dataset: to the values of the request, else to their defaults. */
import { invalid } from '../../errors.ts';
import { quote } from '../../validation/messages.ts';
import type { DataType, ModernParameter } from '../modern.ts';
import { toJsonObject, getOwn, type JsonObject } from '../json-fields.ts';
import { quoteDuckdbText, type SqlItem, type ParameterValue } from '../../sql/sql-items.ts';
import { resolveRelativeDate } from './relative-dates.ts';
import { fixedLimits } from '../../limits.ts';

/**
 * Binds the parameters of a dataset.
 * @param given values of the request by keyword
 * @param now epoch ms, for relative dates
 * @throws ServiceError for a parameter that the dataset does not have, and for a value of another type
 */
export function bindParameters(
  parameters: readonly ModernParameter[],
  given: Readonly<Record<string, unknown>>,
  now: number,
): ReadonlyMap<string, ParameterValue> {
  const unknown = Object.keys(given).find(
    (keyword) => !parameters.some((parameter) => parameter.keyword === keyword),
  );
  if (unknown !== undefined) {
    const known = parameters.map(({ keyword }) => keyword).join(', ');
    throw invalid(
      `parameters has ${quote(unknown)}, which the dataset does not have; ${known === '' ? 'it has no parameters' : `it has ${known}`}.`,
    );
  }
  return new Map(
    parameters.map((parameter) => [
      parameter.keyword,
      bindParameter(parameter, getOwn(given, parameter.keyword), now),
    ]),
  );
}

function bindParameter(parameter: ModernParameter, given: unknown, now: number): ParameterValue {
  const { keyword, dataType, complexType, defaultSelection } = parameter;
  const path = `parameters.${keyword}`;
  const item = (text: string, end: boolean): SqlItem => ({
    kind: dataType === 'STRING' ? 'text' : 'code',
    value: toLiteral(path, dataType, text, now, end),
    spaceBefore: true,
  });
  if (complexType === 'RANGE') {
    const { min, max } =
      given === undefined ? defaultRangeOf(defaultSelection) : parseGivenRange(path, toJsonObject(given));
    return { kind: 'range', min: item(min, false), max: item(max, true) };
  }
  const texts = given === undefined ? defaultValuesOf(defaultSelection) : parseGivenValues(path, given);
  if (complexType === 'MULTI')
    return {
      kind: 'one',
      item: {
        kind: 'code',
        value: toListLiteral(
          dataType,
          texts.map((text) => item(text, false)),
        ),
        spaceBefore: true,
      },
    };
  const [text, ...others] = texts;
  if (others.length > 0) throw invalid(`${path} has ${texts.length} values; it takes one.`);
  if (text === undefined || (text === '' && dataType !== 'STRING'))
    return {
      kind: 'one',
      item: {
        kind: 'code',
        value: dataType === 'STRING' ? "''" : `CAST(NULL AS ${sqlTypes[dataType]})`,
        spaceBefore: true,
      },
    };
  return { kind: 'one', item: item(text, false) };
}

const sqlTypes: Readonly<Record<DataType, string>> = {
  STRING: 'VARCHAR',
  INTEGER: 'BIGINT',
  DECIMAL: 'DOUBLE',
  DATE: 'DATE',
  DATETIME: 'TIMESTAMP',
};

function toListLiteral(dataType: DataType, items: readonly SqlItem[]): string {
  return `CAST([${items.map(({ kind, value }) => (kind === 'text' ? quoteDuckdbText(value) : value)).join(', ')}] AS ${sqlTypes[dataType]}[])`;
}

function defaultValuesOf(selection: ModernParameter['defaultSelection']): string[] {
  return 'values' in selection
    ? selection.values.values.map(({ value }) => value)
    : [selection.range.min.value];
}

function defaultRangeOf(selection: ModernParameter['defaultSelection']): {
  readonly min: string;
  readonly max: string;
} {
  if ('range' in selection) return { min: selection.range.min.value, max: selection.range.max.value };
  const [{ value } = { value: 'now/d' }] = selection.values.values;
  return { min: value, max: value };
}

function parseGivenValues(path: string, given: unknown): string[] {
  const list = Array.isArray(given) ? given : [given];
  if (list.length > fixedLimits.dashboardParameterValues)
    throw invalid(
      `${path} has ${list.length} values; at most ${fixedLimits.dashboardParameterValues} are allowed.`,
    );
  return list.map((value: unknown) => parseText(path, value));
}

function parseGivenRange(path: string, given: JsonObject): { readonly min: string; readonly max: string } {
  return {
    min: parseText(`${path}.min`, getOwn(given, 'min')),
    max: parseText(`${path}.max`, getOwn(given, 'max')),
  };
}

function parseText(path: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && !value.includes('\0')) return value;
  throw invalid(
    `${path} is ${quote(value)}; it must be a text or a number${path.endsWith('.min') || path.endsWith('.max') ? '; a range has min and max' : ''}.`,
  );
}

/** Returns a value as an expression of DuckDB; the text itself when the type is STRING. */
function toLiteral(path: string, dataType: DataType, text: string, now: number, end: boolean): string {
  const invalidValue = (expected: string): Error =>
    invalid(`${path} is ${quote(text)}; it must be ${expected}.`);
  switch (dataType) {
    case 'STRING':
      return text;
    case 'INTEGER':
    case 'DECIMAL': {
      const number = text.trim();
      if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(number) || number.length > 40)
        throw invalidValue('a number');
      return `(${number})`;
    }
    case 'DATE':
    case 'DATETIME': {
      const written = resolveRelativeDate(text, now, end) ?? text.trim();
      const [, date, time = ''] =
        /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)Z?)?$/.exec(written) ?? [];
      if (date === undefined)
        throw invalidValue(
          'a date such as 2015-12-31 or 2015-12-31T23:59:00, or a relative date such as now-7d/d',
        );
      return dataType === 'DATE'
        ? `DATE '${date}'`
        : `TIMESTAMP '${date} ${time === '' ? '00:00:00' : time}'`;
    }
  }
}
