/** Hostile values, raw JSON text that no value serializes to, and mutations of valid values. */
import * as fc from 'fast-check';

/** Levels of nesting that overflow the stack of a recursive function. */
const nestingDepth = 10_000;

/** Raw pieces of JSON text that are spliced into a body unchanged. */
const rawJson = {
  deepList: '['.repeat(nestingDepth) + ']'.repeat(nestingDepth),
  deepObject: `${'{"a":'.repeat(nestingDepth)}1${'}'.repeat(nestingDepth)}`,
  deepUnclosed: '['.repeat(nestingDepth),
  infinite: '1e400',
  minusInfinite: '-1e400',
  longInteger: `1${'0'.repeat(400)}`,
  rounded: '9007199254740993',
  longFraction: `0.${'3'.repeat(400)}`,
  twice: '{"a":1,"a":2}',
  proto: '{"__proto__":{"admin":true}}',
  protoEscaped: '{"\\u005f_proto__":{"admin":true}}',
  constructorProto: '{"constructor":{"prototype":{"admin":true}}}',
  thenable: '{"then":1}',
  notANumber: 'NaN',
  hexadecimal: '0x10',
  octal: '010',
  control: '"\u0007"',
  badEscape: '"\\x41"',
  halfEscape: '"\\u12"',
  nothing: '',
  comment: '/* 1 */ 1',
  single: "'a'",
} as const;

/** Placeholder in a value for a piece of raw JSON. */
class RawJson {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }
  toJSON(): string {
    return `@raw:${this.#name}@`;
  }
}

/** Returns the JSON text of a value with raw pieces in place of their placeholders. */
export function jsonText(value: unknown): string {
  const raws: ReadonlyMap<string, string> = new Map(Object.entries(rawJson));
  return (JSON.stringify(value) ?? 'null').replaceAll(
    /"@raw:(\w+)@"/g,
    (_, name: string) => raws.get(name) ?? 'null',
  );
}

/** Text that no database can store. */
const unstorableText = fc.constantFrom('\0', '\ud800', '\udfff', '\udc00\ud800');

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  unstorableText,
  fc.constantFrom(
    '',
    ' ',
    '\ufeff',
    '\u202e\u2066txt',
    'e\u0301\u0327',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'.repeat(30),
    'NaN',
    '-Infinity',
    '1e999',
    '0x10',
    '007',
    '1_000',
    '٣',
    '-0',
    '9007199254740993',
    'true ',
    'null',
    'undefined',
    '[object Object]',
    '__proto__',
    'constructor',
    'toString',
    '../../../../etc/passwd',
    '/..',
    '//',
    '/.',
    'managed_fs:/../x',
    'C:\\x',
    '~',
    '$HOME',
    '`id`',
    '%00',
    '%s%n%d',
    '${x}',
    "'; drop table jobs; --",
    '\\',
    '"',
    '<script>alert(1)</script>',
    '\r\nSet-Cookie: a=b',
    '{{job.id}}',
    '{{tasks.a.values.b}}',
    '{{`',
    '{{job.',
    '{{'.repeat(50),
    '\ud83d\ude00'.repeat(79),
    `${'a'.repeat(78)}\ud83d\ude00`,
  ),
  fc.constantFrom(64, 65, 100, 255, 256, 4_096, 4_097, 10_001, 70_000).map((length) => 'x'.repeat(length)),
  fc.constantFrom(65, 300).map((length) => `/${'ü'.repeat(length)}`),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    maxLength: 8,
  }),
);

const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    -1,
    1.5,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 53 - 1,
    -(2 ** 53) + 1,
    2 ** 53,
    1e19,
    1e300,
    5e-324,
    1_770_000_000_000,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
);

/** Generates a list or an object with many entries. */
const hostileSize: fc.Arbitrary<unknown> = fc.constantFrom(
  Array.from({ length: 3_000 }, () => ({})),
  Array.from({ length: 3_000 }, (_, index) => `k${index}`),
  Array.from({ length: 3_000 }, (_, index) => ({ user_name: `u${index}`, permission_level: 'CAN_VIEW' })),
  Array.from({ length: 200 }, (_, index) => ({
    task_key: `t${index}`,
    depends_on: [{ task_key: `t${index + 1}` }],
  })),
  Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, 'v'])),
);

/** Generates valid JSON values and raw text that is not valid JSON. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: hostileNumber },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      [],
      {},
      [[]],
      [null],
      [{}],
      { '': '' },
      { length: -1 },
      { toString: 1, toJSON: 1, hasOwnProperty: 1 },
      { get: 1, set: 1 },
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(rawJson)).map((name) => new RawJson(name)) },
  { weight: 1, arbitrary: hostileSize },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Generates unexpected field names. */
const hostileKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'access_control_list',
    'format',
    'run_as',
    'x_task',
    'job_clusters',
    'id',
    'then',
  ),
  hostileText,
);

/**
 * Generates a value with one mutation: a field replaced, removed, added, duplicated, wrapped or corrupted.
 */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const kinds = fc.constantFrom(
    'replace',
    'replace',
    'remove',
    'add',
    'double',
    'wrap',
    'retype',
    'spoil',
    'spoil',
  );
  return fc
    .tuple(values, fc.nat(), kinds, hostileKey, hostileValue, unstorableText)
    .map(([value, place, kind, key, hostile, piece]) => {
      const places = pathsIn(value);
      const changed = replaceAt(value, places[place % places.length] ?? [], (found) =>
        mutations[kind]?.(found, { key, hostile, unstorable: piece }),
      );
      return changed === removedMarker ? null : changed;
    });
}

interface MutationInput {
  readonly key: string;
  readonly hostile: unknown;
  /** Text that no database can store. */
  readonly unstorable: string;
}

const removedMarker = Symbol('removed');

const mutations: Readonly<Record<string, (found: unknown, harm: MutationInput) => unknown>> = {
  replace: (_, { hostile }) => hostile,
  remove: () => removedMarker,
  add: (found, { key, hostile }) => (isObject(found) ? withField(found, key, hostile) : hostile),
  double: (found) => (Array.isArray(found) ? [...found, ...found] : [found, found]),
  wrap: (found, { key }) => withField({}, key, found),
  retype: (found) => (typeof found === 'string' ? Number(found) : JSON.stringify(found)),
  spoil: (found, { unstorable }) =>
    typeof found === 'string'
      ? found + unstorable
      : isObject(found)
        ? withField(found, `x${unstorable}`, 1)
        : unstorable,
};

type ValuePath = readonly (string | number)[];

/** Returns every path in a value, the value itself first. */
function pathsIn(value: unknown, at: ValuePath = []): ValuePath[] {
  return [at, ...partsOf(value).flatMap(([key, part]) => pathsIn(part, [...at, key]))];
}

function replaceAt(value: unknown, [key, ...rest]: ValuePath, change: (found: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const parts = partsOf(value)
    .map(([name, part]): [string | number, unknown] => [
      name,
      name === key ? replaceAt(part, rest, change) : part,
    ])
    .filter(([, part]) => part !== removedMarker);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

function partsOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()];
  return isObject(value) ? Object.entries(value) : [];
}

/** Returns a copy with an additional field; an assignment of `__proto__` would set the prototype. */
function withField(object: object, key: string, value: unknown): object {
  return Object.defineProperty({ ...object }, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
}
