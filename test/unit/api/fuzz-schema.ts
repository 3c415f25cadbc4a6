/** Generation of values that match the schema of an operation. */
import * as fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Field name -> valid values, such as existing ids, for fields whose schema is not
 * specific enough.
 */
export type LikelyValues = ReadonlyMap<string, fc.Arbitrary<unknown>>;

/** Generates ordinary texts, some of them outside ASCII. */
export const ordinaryText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('a', 'b', 'nightly', 'x y', 'Größe', '日本', '/a', 'A=1'),
  fc.string({ maxLength: 12 }),
);

/** Generates values that match a schema, each with few optional fields. */
export function arbitraryFor(schema: unknown, likely: LikelyValues, field = ''): fc.Arbitrary<unknown> {
  return (
    likely.get(field) ??
    (isSchema(schema) ? arbitraryOfSchema(schema, likely) : fc.jsonValue({ maxDepth: 2 }))
  );
}

function arbitraryOfSchema(schema: Schema, likely: LikelyValues): fc.Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['anyOf']))
    return fc.oneof(...schema['anyOf'].map((part: unknown) => arbitraryFor(part, likely)));
  const make = byType[String(schema['type'])];
  if (make === undefined) throw new Error(`There are no values for the schema ${JSON.stringify(schema)}.`);
  return make(schema, likely);
}

const byType: Readonly<Record<string, (schema: Schema, likely: LikelyValues) => fc.Arbitrary<unknown>>> = {
  string: ({ pattern }) =>
    typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern)) : ordinaryText,
  integer: (schema) => {
    const [min, max] = [
      schemaLimit(schema, 'minimum', Number.MIN_SAFE_INTEGER),
      schemaLimit(schema, 'maximum', Number.MAX_SAFE_INTEGER),
    ];
    return fc.oneof(
      {
        weight: 6,
        arbitrary: fc.integer({ min: Math.max(0, min), max: Math.min(Math.max(0, min) + 9, max) }),
      },
      { weight: 1, arbitrary: fc.integer({ min, max }) },
      { weight: 1, arbitrary: fc.constantFrom(min, max) },
    );
  },
  number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: () => fc.boolean(),
  array: (schema, likely) =>
    fc.array(arbitraryFor(schema['items'], likely), {
      maxLength: Math.min(3, schemaLimit(schema, 'maxItems', 3)),
    }),
  object: arbitraryObject,
};

function arbitraryObject(
  { properties, required, additionalProperties }: Schema,
  likely: LikelyValues,
): fc.Arbitrary<unknown> {
  if (!isSchema(properties)) {
    return fc.dictionary(
      ordinaryText,
      isSchema(additionalProperties)
        ? arbitraryFor(additionalProperties, likely)
        : fc.jsonValue({ maxDepth: 1 }),
      { maxKeys: 3 },
    );
  }
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const share = Math.max(2, Math.round(Object.keys(properties).length / 2));
  const entries = Object.entries(properties).map(([key, part]): [string, fc.Arbitrary<unknown>] => {
    const values = arbitraryFor(part, likely, key);
    return [
      key,
      needed.has(key)
        ? values
        : fc.oneof({ weight: share, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values }),
    ];
  });
  return fc.record(Object.fromEntries(entries)).map(withoutUndefined);
}

/** Returns a copy without undefined fields. */
export function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function schemaLimit(schema: Schema, keyword: string, defaultValue: number): number {
  const value = schema[keyword];
  return typeof value === 'number' ? value : defaultValue;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
