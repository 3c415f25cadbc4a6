/** Converts number formats of classic dashboards, such as `$0,0.00` and `0.0%`, to the modern format. */

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

/** Parses a pattern; undefined when a part of it is not supported. */
export function parseNumberFormat(pattern: string | undefined): NumberFormat | undefined {
  const [, before = '', whole, fraction = '', optional = '', letter = '', percent = '', after = ''] =
    /^\s*([$€£¥₹]?)\s*(0(?:,0+)?|0+|#,##0)(?:\.(0*)(?:\[(0+)\])?|\[\.\](?:0+))?\s*([aA]?)\s*(%?)\s*([$€£¥₹]?)\s*$/u.exec(
      pattern ?? '',
    ) ?? [];
  if (whole === undefined || pattern === undefined) return undefined;
  const [, optionalFraction = ''] = /\[\.\](0+)/.exec(pattern) ?? [];
  const currency = currencies.get(before === '' ? after : before);
  const flexible = optional.length + optionalFraction.length;
  return {
    type: percent !== '' ? 'number-percent' : currency !== undefined ? 'number-currency' : 'number-plain',
    ...(currency !== undefined && percent === '' && { currencyCode: currency }),
    abbreviation: letter === '' ? 'none' : 'compact',
    decimalPlaces: { type: flexible > 0 ? 'max' : 'exact', places: Math.min(20, fraction.length + flexible) },
    hideGroupSeparator: !whole.includes(','),
  };
}

/** Returns the format of a counter with a number of decimal places and no pattern. */
export function createPlainFormat(places: number): NumberFormat {
  return {
    type: 'number-plain',
    abbreviation: 'none',
    decimalPlaces: { type: 'exact', places: Math.min(20, Math.max(0, Math.trunc(places))) },
    hideGroupSeparator: false,
  };
}
