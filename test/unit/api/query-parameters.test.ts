/** Query parameters of GET requests as nested fields and lists. */
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { readQueryParameters } from '../../../api/http/query-parameters.ts';

const schema = Type.Object({
  limit: Type.Optional(Type.Integer()),
  states: Type.Optional(Type.Array(Type.String())),
  filter_by: Type.Optional(
    Type.Object({ states: Type.Optional(Type.Array(Type.String())), pinned: Type.Optional(Type.Boolean()) }),
  ),
});

test.each<[string, object, object]>([
  ['a plain name', { limit: '5' }, { limit: '5' }],
  ['a repeated value', { limit: ['5', '5'] }, { limit: '5' }],
  ['one entry of a list', { states: 'A' }, { states: ['A'] }],
  ['entries of a list', { states: ['A', 'B'] }, { states: ['A', 'B'] }],
  [
    'nested fields',
    { 'filter_by.states': 'A', 'filter_by.pinned': 'true' },
    { filter_by: { states: ['A'], pinned: 'true' } },
  ],
  [
    'a nested field beside its object as text',
    { filter_by: '{}', 'filter_by.pinned': 'x' },
    { filter_by: { pinned: 'x' } },
  ],
  [
    'unknown names',
    { 'a.b': '1', 'filter_by.other': '2', '__proto__.x': '3' },
    { 'a.b': '1', 'filter_by.other': '2', '__proto__.x': '3' },
  ],
])('%s', (_, query, fields) => {
  expect(readQueryParameters(schema, query)).toEqual(fields);
});

test('a name with different values that is not a list is refused', () => {
  expect(() => readQueryParameters(schema, { 'filter_by.pinned': ['true', 'false'] })).toThrow(
    'filter_by.pinned is given 2 times with different values; send it once.',
  );
});
