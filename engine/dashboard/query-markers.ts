/**
 * What stands in place of the markers of a query: references to parameters, and the text around them kept as
 * text.
 */
import { markerName, markerPattern, type SqlToken } from '../sql/tokenizer.ts';

/** A parameter of a query, as rewriting needs to know it. */
export interface QueryParameter {
  /** As markers name it. */
  readonly name: string;
  /** As the rewritten query names it. */
  readonly keyword: string;
  /** Two values, of which markers name `.start` and `.end`. */
  readonly range: boolean;
  /** For a list of values: how the classic dashboard put them into the text. */
  readonly list?: ListParameter | undefined;
}

export interface ListParameter {
  /** What stood around each value. */
  readonly prefix: string;
  readonly suffix: string;
  readonly separator: string;
  /** Whether nothing is chosen to begin with. */
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

/** The name of the range that a marker takes an end of; undefined when it takes none. */
export function rangeNameOf(name: string): string | undefined {
  const end = rangeEnds.find(([suffix]) => name.endsWith(suffix) && name.length > suffix.length);
  return end === undefined ? undefined : name.slice(0, -end[0].length).trim();
}

/** Finds what a marker refers to among the parameters of a query. */
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

/** The names of the markers in a token; those in a comment count as none. */
export function markerNamesIn({ kind, text }: SqlToken): string[] {
  if (kind === 'marker') return [markerName(text)];
  if (kind !== 'text' && kind !== 'quoted-name') return [];
  return splitAtMarkers(text)
    .filter((_, index) => index % 2 === 1)
    .map(markerName);
}

/** The text cut at its markers: what is not a marker at even places, markers at odd ones. */
export function splitAtMarkers(text: string): string[] {
  return text.split(anyMarker);
}

const anyMarker = new RegExp(`(${markerPattern.source})`, 'g');

/** What a text or quoted name consists of. */
export interface QuotedToken {
  readonly open: string;
  readonly close: string;
  /** The pieces between the quotes, as `pieces` cuts them. */
  readonly inside: readonly string[];
}

/**
 * Takes a text or quoted name apart; undefined when it does not end, or when it cannot be cut at its markers.
 */
export function parseQuoted({ text }: SqlToken): QuotedToken | undefined {
  const [open = ''] = /^(?:[rR]?['"]|`|\$\w*\$)/u.exec(text) ?? [];
  const close = open.startsWith('$') ? open : open.slice(-1);
  if (open === '' || text.length < open.length + close.length || !text.endsWith(close)) return undefined;
  const inside = splitAtMarkers(text.slice(open.length, text.length - close.length));
  const escapes = open === "'" || open === '"';
  // A backslash would take the first character of the value along, and then the quote that is put there.
  const cut =
    !escapes || inside.every((piece, index) => index % 2 === 1 || !/(?<!\\)(?:\\\\)*\\$/.test(piece));
  return cut ? { open, close, inside } : undefined;
}

/** A value as an expression: a list of values becomes the text that the classic dashboard put there. */
export function toValueExpression({ parameter, text }: ParameterReference): string {
  const { list } = parameter;
  if (list === undefined) return text;
  const { prefix, suffix, separator } = list;
  const values =
    prefix === '' && suffix === ''
      ? text
      : `transform(${text}, value -> concat(${quoteLiteral(prefix)}, value, ${quoteLiteral(suffix)}))`;
  return `array_join(${values}, ${quoteLiteral(separator)})`;
}

/** A text as an SQL literal. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/**
 * An expression for pieces that belong together: the text between the markers in its own quotes, the values
 * between them. Undefined when a marker names no parameter.
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
