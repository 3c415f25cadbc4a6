/** Coercion of request values before validation. */
import { Type, type TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { coerceValue } from '../../../api/http/request-coercion.ts';
import { Id, scalarMap, stringMap } from '../../../engine/validation/scalars.ts';
import { JobSettings } from '../../../engine/job/settings.ts';

const flag = Type.Boolean();
const object = Type.Object({
  id: Type.Optional(Id),
  flag: Type.Optional(flag),
  list: Type.Optional(Type.Array(Id)),
  name: Type.Optional(Type.String()),
});

test.each<[string, TSchema, unknown, unknown]>([
  ['decimal text', Id, '22', 22],
  ['a negative number', Type.Integer(), '-1', -1],
  ['zero', Id, '0', 0],
  ['the largest safe integer', Id, '9007199254740991', 9007199254740991],
  ['an integer that is not safe', Id, '9007199254740993', '9007199254740993'],
  ['hexadecimal text', Id, '0x10', '0x10'],
  ['a fraction', Id, '1.5', '1.5'],
  ['an exponent', Id, '1e3', '1e3'],
  ['empty text', Id, '', ''],
  ['a space', Id, ' 1', ' 1'],
  ['a fraction for a number', Type.Number(), '1.5', 1.5],
  ['too much for a number', Type.Number(), '1e999', '1e999'],
  ['true', flag, 'true', true],
  ['True', flag, 'True', true],
  ['false', flag, 'false', false],
  ['False', flag, 'False', false],
  ['TRUE', flag, 'TRUE', 'TRUE'],
  ['1 for a boolean', flag, '1', '1'],
  ['0 for a boolean', flag, 0, 0],
  ['true for an integer', Id, true, true],
  ['a number for a text', Type.String(), 5, 5],
  ['digits for a text', Type.String(), '5', '5'],
  ['a field of an object', object, { id: '7', flag: 'True', name: '7' }, { id: 7, flag: true, name: '7' }],
  ['entries of a list', object, { list: ['1', 2, 'x'] }, { list: [1, 2, 'x'] }],
  ['null for a field', object, { id: null, name: 'n' }, { name: 'n' }],
  ['null for an unknown field', object, { other: null }, { other: null }],
  ['null in a list', object, { list: [null] }, { list: [null] }],
  ['null for the whole', object, null, null],
  [
    'unknown fields',
    object,
    { other: { id: '7' }, constructor: '7' },
    { other: { id: '7' }, constructor: '7' },
  ],
  ['a text for an object', object, 'x', 'x'],
  [
    'values of a map',
    Type.Object({ m: Type.Record(Type.String(), Id) }),
    { m: { a: '1', b: null } },
    { m: { a: 1 } },
  ],
  ['null in a map of texts', stringMap('m'), { a: null, b: '1' }, { b: '1' }],
  [
    'scalars in a map that accepts them',
    scalarMap('m'),
    { a: 1, b: true, c: 'x', d: 1.5, e: null },
    { a: '1', b: 'true', c: 'x', d: '1.5' },
  ],
  ['a list in a map that accepts scalars', scalarMap('m'), { a: [1] }, { a: [1] }],
  ['a union that takes it as written', Type.Union([Type.String(), Id]), '5', '5'],
  ['a union with one fitting branch', Type.Union([flag, Id]), '5', 5],
  [
    'a union of objects',
    Type.Union([Type.Object({ a: flag }), Type.Object({ b: Id })]),
    { b: '5' },
    { b: 5 },
  ],
  ['a union that nothing fits', Type.Union([flag, Id]), 'x', 'x'],
  [
    'an intersection',
    Type.Intersect([Type.Object({ a: flag }), Type.Object({ b: Id })]),
    { a: 'true', b: '5' },
    { a: true, b: 5 },
  ],
])('%s', (_name, schema, sent, understood) => {
  expect(coerceValue(schema, sent)).toEqual(understood);
});

test('nested settings are coerced without changing the argument', () => {
  const sent = {
    max_retries: '2',
    new_cluster: {
      num_workers: '8',
      autoscale: null,
      cloud_extras: { first_on_demand: '1' },
      custom_tags: { a: '5' },
      enable_elastic_disk: 'False',
    },
    tasks: [
      {
        task_key: '1',
        run_job_task: { job_id: '7' },
        health: { rules: [{ op: 'GREATER_THAN', value: '5' }] },
      },
    ],
    continuous: { x: '1' },
  };
  const before = structuredClone(sent);
  expect(coerceValue(JobSettings, sent)).toEqual({
    max_retries: 2,
    new_cluster: {
      num_workers: 8,
      cloud_extras: { first_on_demand: '1' },
      custom_tags: { a: '5' },
      enable_elastic_disk: false,
    },
    tasks: [
      { task_key: '1', run_job_task: { job_id: 7 }, health: { rules: [{ op: 'GREATER_THAN', value: 5 }] } },
    ],
    continuous: { x: '1' },
  });
  expect(sent).toEqual(before);
});

test('a key named __proto__ is dropped', () => {
  const result = coerceValue(object, JSON.parse('{"__proto__": {"id": "1"}, "name": "n"}'));
  expect(Object.keys(Object(result))).toEqual(['name']);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
});
