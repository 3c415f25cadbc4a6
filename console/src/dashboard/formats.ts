/** Formats of values: number formats of widgets, and dates without a midnight time. */
import type { JsonObject } from '../api/dashboard-documents.ts';
import { toJsonObject, getNumber, toNumber, getText } from './encodings.ts';

/** Formats a value. @param format format of an encoding; undefined for none */
export function formatValue(value: unknown, format?: unknown): string {
  if (value === null || value === undefined) return '';
  const fields = toJsonObject(format);
  const type = getText(fields, 'type');
  if (type?.startsWith('number-') === true) {
    const number = toNumber(value);
    return number === undefined ? formatPlain(value) : createNumberFormat(type, fields).format(number);
  }
  return formatPlain(value);
}

function formatPlain(value: unknown): string {
  if (typeof value === 'number')
    return Number.isInteger(value)
      ? String(value)
      : new Intl.NumberFormat('en', { maximumFractionDigits: 4, useGrouping: false }).format(value);
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d{2}-\d{2}) 00:00:00$/, '$1');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const numberStyles: Readonly<Record<string, Intl.NumberFormatOptions['style']>> = {
  'number-percent': 'percent',
  'number-currency': 'currency',
};

function createNumberFormat(type: string, format: JsonObject): Intl.NumberFormat {
  const places = toJsonObject(format['decimalPlaces']);
  const maximumPlaces = Math.min(20, getNumber(places, 'places') ?? 2);
  return new Intl.NumberFormat('en', {
    style: numberStyles[type] ?? 'decimal',
    ...(type === 'number-currency' && { currency: getText(format, 'currencyCode') ?? 'USD' }),
    notation: format['abbreviation'] === 'compact' ? 'compact' : 'standard',
    useGrouping: format['hideGroupSeparator'] !== true,
    minimumFractionDigits: places['type'] === 'exact' ? maximumPlaces : 0,
    maximumFractionDigits: maximumPlaces,
  });
}

/** Formats a number by a pattern of a classic table column, such as `0,0.00` or `0%`. */
export function formatByPattern(value: unknown, pattern: string | undefined): string {
  const number = toNumber(value);
  const [, before = '', whole, fraction = '', percent = '', after = ''] =
    /^([$€£¥]?)(0(?:,0+)?)(?:\.\[?(0*)\]?)?(%?)([$€£¥]?)$/.exec((pattern ?? '').replaceAll(' ', '')) ?? [];
  if (number === undefined || whole === undefined) return formatValue(value);
  const shown = new Intl.NumberFormat('en', {
    style: percent === '' ? 'decimal' : 'percent',
    useGrouping: whole.includes(','),
    minimumFractionDigits: fraction.length,
    maximumFractionDigits: fraction.length,
  });
  return `${before}${shown.format(number)}${after}`;
}
