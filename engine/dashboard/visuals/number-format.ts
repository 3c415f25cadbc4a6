/**
 * Number formats: patterns such as `$0,0.00` and `0.0%` of classic dashboards as the newer format describes
 * them.
 */

export interface NumberFormat {
  readonly type: 'number-plain' | 'number-percent' | 'number-currency';
  readonly currencyCode?: string;
  readonly abbreviation: 'none' | 'compact';
  readonly decimalPlaces: { readonly type: 'exact' | 'max'; readonly places: number };
  readonly hideGroupSeparator: boolean;
}

const currencies: ReadonlyMap<string, string> = new Map([
  ['$', 'USD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
  ['₹', 'INR'],
]);

/** Undefined for a pattern that is not understood as a whole. */
export function parseNumberFormat(pattern: string | undefined): NumberFormat | undefined {
  const [, before = '', whole, fraction = '', optional = '', letter = '', percent = '', after = ''] =
    /^\s*([$€£¥₹]?)\s*(0(?:,0+)?|0+|#,##0)(?:\.(0*)(?:\[(0+)\])?|\[\.\](?:0+))?\s*([aA]?)\s*(%?)\s*([$€£¥₹]?)\s*$/u.exec(
      pattern ?? '',
    ) ?? [];
  if (whole === undefined || pattern === undefined) return undefined;
  const [, wholly = ''] = /\[\.\](0+)/.exec(pattern) ?? [];
  const currency = currencies.get(before === '' ? after : before);
  const flexible = optional.length + wholly.length;
  return {
    type: percent !== '' ? 'number-percent' : currency !== undefined ? 'number-currency' : 'number-plain',
    ...(currency !== undefined && percent === '' && { currencyCode: currency }),
    abbreviation: letter === '' ? 'none' : 'compact',
    decimalPlaces: { type: flexible > 0 ? 'max' : 'exact', places: Math.min(20, fraction.length + flexible) },
    hideGroupSeparator: !whole.includes(','),
  };
}

/** The format of a counter with so many decimal places and no pattern of its own. */
export function createPlainFormat(places: number): NumberFormat {
  return {
    type: 'number-plain',
    abbreviation: 'none',
    decimalPlaces: { type: 'exact', places: Math.min(20, Math.max(0, Math.trunc(places))) },
    hideGroupSeparator: false,
  };
}
