/** Error messages of schema violations. */
import { Type, type TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { toValidationError } from '../../../api/http/schema-errors.ts';
import { Id, stringMap } from '../../../engine/validation/scalars.ts';
import { schemaErrorOf } from '../engine/job/sample-settings.ts';

const missing = Type.Object({ a: Type.Object({ b: Type.Object({ c: Type.String() }) }) });
const list = Type.Object({
  list: Type.Array(Type.Object({ id: Id, flag: Type.Optional(Type.Boolean()) }), {
    minItems: 1,
    maxItems: 2,
  }),
});
const params = Type.Object({ notebook_params: stringMap('p') });

test.each<[string, TSchema, unknown, string, string]>([
  ['a missing field', missing, {}, 'INVALID_PARAMETER_VALUE', 'Missing required field: a.'],
  [
    'a missing nested field',
    missing,
    { a: { b: {} } },
    'INVALID_PARAMETER_VALUE',
    'Missing required field: a.b.c.',
  ],
  [
    'a missing field of an entry',
    list,
    { list: [{ id: 1 }, {}] },
    'INVALID_PARAMETER_VALUE',
    'Missing required field: list[1].id.',
  ],
  [
    'a body that is no object',
    missing,
    [],
    'MALFORMED_REQUEST',
    'Invalid JSON given in the body of the request - expected a map',
  ],
  [
    'a text for an object',
    params,
    { notebook_params: 'a=b' },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected object for field notebook_params, found STRING',
  ],
  [
    'a list for an object',
    params,
    { notebook_params: [] },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected object for field notebook_params, found ARRAY',
  ],
  [
    'a number in a map',
    params,
    { notebook_params: { 'a/b~c': 1 } },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected string for field notebook_params.a/b~c, found NUMBER',
  ],
  [
    'an object for a list',
    list,
    { list: {} },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected array for field list, found OBJECT',
  ],
  [
    'a text for an integer',
    list,
    { list: [{ id: 'x' }] },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected integer for field list[0].id, found STRING "x"',
  ],
  [
    'a fraction for an integer',
    list,
    { list: [{ id: 1.5 }] },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected integer for field list[0].id, found NUMBER 1.5',
  ],
  [
    'null for an integer',
    list,
    { list: [{ id: null }] },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected integer for field list[0].id, found NULL null',
  ],
  [
    'a text for a boolean',
    list,
    { list: [{ id: 1, flag: 'yes' }] },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected boolean for field list[0].flag, found STRING "yes"',
  ],
  [
    'an object for an integer',
    list,
    { list: [{ id: {} }] },
    'MALFORMED_REQUEST',
    'Could not parse request object: Expected integer for field list[0].id, found OBJECT',
  ],
  [
    'too few entries',
    list,
    { list: [] },
    'INVALID_PARAMETER_VALUE',
    'list has 0 entries; at least 1 are required.',
  ],
  [
    'too many entries',
    list,
    { list: [{ id: 1 }, { id: 1 }, { id: 1 }] },
    'INVALID_PARAMETER_VALUE',
    'list has 3 entries; at most 2 are allowed.',
  ],
  [
    'too small',
    Type.Object({ n: Type.Integer({ minimum: 1 }) }),
    { n: 0 },
    'INVALID_PARAMETER_VALUE',
    'n is 0; it must be at least 1.',
  ],
  [
    'too large',
    Type.Object({ id: Id }),
    { id: 2 ** 53 },
    'INVALID_PARAMETER_VALUE',
    'id is 9007199254740992; it must be at most 9007199254740991.',
  ],
  [
    'not above',
    Type.Object({ n: Type.Number({ exclusiveMinimum: 0 }) }),
    { n: 0 },
    'INVALID_PARAMETER_VALUE',
    'n is 0; it must be greater than 0.',
  ],
  [
    'not below',
    Type.Object({ n: Type.Number({ exclusiveMaximum: 9 }) }),
    { n: 9 },
    'INVALID_PARAMETER_VALUE',
    'n is 9; it must be less than 9.',
  ],
  [
    'too short',
    Type.Object({ s: Type.String({ minLength: 2 }) }),
    { s: 'x' },
    'INVALID_PARAMETER_VALUE',
    's has 1 characters; at least 2 are required.',
  ],
  [
    'too long',
    Type.Object({ s: Type.String({ maxLength: 2 }) }),
    { s: '🙂🙂🙂' },
    'INVALID_PARAMETER_VALUE',
    's has 3 characters; at most 2 are allowed.',
  ],
  [
    'not in the list',
    Type.Object({ s: Type.Enum(['A', 'B']) }),
    { s: 'C' },
    'INVALID_PARAMETER_VALUE',
    's is "C"; it must be one of A, B.',
  ],
  [
    'not the value',
    Type.Object({ s: Type.Literal('A') }),
    { s: 'C' },
    'INVALID_PARAMETER_VALUE',
    's is "C"; it must be "A".',
  ],
  [
    'not the pattern',
    Type.Object({ s: Type.String({ pattern: '^a$' }) }),
    { s: 'b' },
    'INVALID_PARAMETER_VALUE',
    's is "b"; it must match ^a$.',
  ],
  [
    'not known',
    Type.Object({}, { additionalProperties: false }),
    { extra: 1 },
    'INVALID_PARAMETER_VALUE',
    'extra is not a known field.',
  ],
  [
    'the branch that was meant',
    Type.Object({ u: Type.Union([Type.String(), Type.Object({ n: Id })]) }),
    { u: { n: -1 } },
    'INVALID_PARAMETER_VALUE',
    'u.n is -1; it must be at least 0.',
  ],
  [
    'any other rule',
    Type.Object({ n: Type.Integer({ multipleOf: 5 }) }),
    { n: 4 },
    'INVALID_PARAMETER_VALUE',
    'n is 4; it must be multiple of 5.',
  ],
])('%s', (_name, schema, value, code, message) => {
  expect(schemaErrorOf(schema, value)).toMatchObject({ code, message });
});

test('a long value or name is truncated', () => {
  const value = schemaErrorOf(Type.Object({ s: Type.Enum(['A']) }), { s: 'x'.repeat(5000) });
  expect(value?.message).toBe(`s is "${'x'.repeat(79)}...; it must be one of A.`);
  const name = schemaErrorOf(params, { notebook_params: { ['y'.repeat(5000)]: 1 } });
  expect(name?.message).toBe(
    `Could not parse request object: Expected string for field notebook_params.${'y'.repeat(80)}..., found NUMBER`,
  );
});

test('an empty list of errors gives a generic error', () => {
  expect(toValidationError([], {}).message).toBe('The request does not match its schema.');
});
