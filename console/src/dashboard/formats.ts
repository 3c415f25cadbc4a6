/** Values as people read them: numbers by the formats of widgets, dates without a time that is none. */
import type { Fields } from '../api/dashboard-documents.ts';
import { fieldsOf, numberIn, numberOf, textIn } from './reading.ts';

/** @param format as an encoding has it; undefined for none */
export function formatted(value: unknown, format?: unknown): string {
  if (value === null || value === undefined) return '';
  const fields = fieldsOf(format);
  const type = textIn(fields, 'type');
  if (type?.startsWith('number-') === true) {
    const number = numberOf(value);
    return number === undefined ? plain(value) : numberFormat(type, fields).format(number);
  }
  return plain(value);
}

function plain(value: unknown): string {
  if (typeof value === 'number')
    return Number.isInteger(value)
      ? String(value)
      : new Intl.NumberFormat('en', { maximumFractionDigits: 4, useGrouping: false }).format(value);
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d{2}-\d{2}) 00:00:00$/, '$1');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const styles: Readonly<Record<string, Intl.NumberFormatOptions['style']>> = {
  'number-percent': 'percent',
  'number-currency': 'currency',
};

function numberFormat(type: string, format: Fields): Intl.NumberFormat {
  const places = fieldsOf(format['decimalPlaces']);
  const most = Math.min(20, numberIn(places, 'places') ?? 2);
  return new Intl.NumberFormat('en', {
    style: styles[type] ?? 'decimal',
    ...(type === 'number-currency' && { currency: textIn(format, 'currencyCode') ?? 'USD' }),
    notation: format['abbreviation'] === 'compact' ? 'compact' : 'standard',
    useGrouping: format['hideGroupSeparator'] !== true,
    minimumFractionDigits: places['type'] === 'exact' ? most : 0,
    maximumFractionDigits: most,
  });
}

/** A number by a pattern of a classic table column, such as `0,0.00` or `0%`. */
export function byPattern(value: unknown, pattern: string | undefined): string {
  const number = numberOf(value);
  const [, before = '', whole, fraction = '', percent = '', after = ''] =
    /^([$€£¥]?)(0(?:,0+)?)(?:\.\[?(0*)\]?)?(%?)([$€£¥]?)$/.exec((pattern ?? '').replaceAll(' ', '')) ?? [];
  if (number === undefined || whole === undefined) return formatted(value);
  const shown = new Intl.NumberFormat('en', {
    style: percent === '' ? 'decimal' : 'percent',
    useGrouping: whole.includes(','),
    minimumFractionDigits: fraction.length,
    maximumFractionDigits: fraction.length,
  });
  return `${before}${shown.format(number)}${after}`;
}
