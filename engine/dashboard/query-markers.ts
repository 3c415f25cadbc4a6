/** Replaces the markers of a query by references to parameters; the text around them stays text. */
import { markerName, markerPattern, type SqlToken } from '../sql/tokenizer.ts';

/** Parameter of a query that is rewritten. */
export interface QueryParameter {
  /** Name in markers. */
  readonly name: string;
  /** Name in the rewritten query. */
  readonly keyword: string;
  /** True when it is a range, whose ends markers name `.start` and `.end`. */
  readonly range: boolean;
  /** False for numbers and dates, which cannot be names. Default: true. */
  readonly isText?: boolean;
  /** Format of a list of values in a classic query. */
  readonly list?: ListParameter | undefined;
}

export interface ListParameter {
  /** Text around each value. */
  readonly prefix: string;
  readonly suffix: string;
  readonly separator: string;
  /** True when no value is selected by default. */
  readonly emptyByDefault: boolean;
}

export interface ParameterReference {
  readonly parameter: QueryParameter;
  /** `:p`, or `:r.min` and `:r.max` for the ends of a range. */
  readonly text: string;
}

export type ResolveParameter = (name: string) => ParameterReference | undefined;

const rangeEnds = [
  ['.start', '.min'],
  ['.end', '.max'],
] as const;

/** Returns the name of the range whose end a marker names; undefined for any other marker. */
export function rangeNameOf(name: string): string | undefined {
  const end = rangeEnds.find(([suffix]) => name.endsWith(suffix) && name.length > suffix.length);
  return end === undefined ? undefined : name.slice(0, -end[0].length).trim();
}

/** Returns a function that resolves the name of a marker to a parameter of the query. */
export function createResolver(parameters: readonly QueryParameter[]): ResolveParameter {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return (name) => {
    const exact = byName.get(name);
    if (exact !== undefined) return { parameter: exact, text: `:${exact.keyword}` };
    const range = byName.get(rangeNameOf(name) ?? '');
    const end = rangeEnds.find(([suffix]) => name.endsWith(suffix));
    return range === undefined || end === undefined
      ? undefined
      : { parameter: range, text: `:${range.keyword}${end[1]}` };
  };
}

/** Returns the names of the markers in a token; comments have none. */
export function markerNamesIn({ kind, text }: SqlToken): string[] {
  if (kind === 'marker') return [markerName(text)];
  if (kind !== 'text' && kind !== 'quoted-name') return [];
  return splitAtMarkers(text)
    .filter((_, index) => index % 2 === 1)
    .map(markerName);
}

/** Splits a text at its markers: markers are at odd indices. */
export function splitAtMarkers(text: string): string[] {
  return text.split(anyMarker);
}

const anyMarker = new RegExp(`(${markerPattern.source})`, 'g');

/** Parts of a text or quoted name. */
export interface QuotedToken {
  readonly open: string;
  readonly close: string;
  /** Text between the quotes, as `splitAtMarkers` returns it. */
  readonly inside: readonly string[];
}

/** Parses a text or quoted name; undefined when it is unterminated or cannot be split at its markers. */
export function parseQuoted({ text }: SqlToken): QuotedToken | undefined {
  const [open = ''] = /^(?:[rR]?['"]|`|\$\w*\$)/u.exec(text) ?? [];
  const close = open.startsWith('$') ? open : open.slice(-1);
  if (open === '' || text.length < open.length + close.length || !text.endsWith(close)) return undefined;
  const inside = splitAtMarkers(text.slice(open.length, text.length - close.length));
  const escapes = open === "'" || open === '"';
  // A backslash before a marker would escape the quote that replaces the marker.
  const canSplit =
    !escapes || inside.every((piece, index) => index % 2 === 1 || !/(?<!\\)(?:\\\\)*\\$/.test(piece));
  return canSplit ? { open, close, inside } : undefined;
}

/** Returns a value as an expression; a list of values becomes the text that the classic query contained. */
function toValueExpression({ parameter, text }: ParameterReference): string {
  const { list } = parameter;
  if (list === undefined) return text;
  const { prefix, suffix, separator } = list;
  const values =
    prefix === '' && suffix === ''
      ? text
      : `transform(${text}, value -> concat(${quoteLiteral(prefix)}, value, ${quoteLiteral(suffix)}))`;
  return `array_join(${values}, ${quoteLiteral(separator)})`;
}

/** Returns a text as a literal of the spark dialect. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/**
 * Returns an expression that concatenates the text between markers and the values of the markers. Undefined
 * when a marker names an unknown parameter.
 * @param inside text and markers, as `splitAtMarkers` returns them
 */
export function concatExpressions(
  inside: readonly string[],
  quote: (piece: string) => string,
  resolve: ResolveParameter,
): string | undefined {
  const parts: string[] = [];
  for (const [index, piece] of inside.entries()) {
    if (index % 2 === 0) {
      if (piece !== '') parts.push(quote(piece));
      continue;
    }
    const reference = resolve(markerName(piece));
    if (reference === undefined) return undefined;
    parts.push(toValueExpression(reference));
  }
  return parts.length === 1 ? parts[0] : `concat(${parts.join(', ')})`;
}
