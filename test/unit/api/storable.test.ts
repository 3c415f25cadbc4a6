/** Values that cannot be stored unchanged are refused in every part of a request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findUnstorableValue } from '../../../api/http/storable-values.ts';
import { adminToken, idFrom, startApiHarness, type ApiHarness } from './api-harness.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['text with characters beyond the first plane', { a: ['\u{1f600}', 'Größe', '\u0001'] }],
  ['the largest number', 1.7976931348623157e308],
  ['a hundred levels', nested(100)],
])('%s is accepted', (_, value) => {
  expect(findUnstorableValue(value)).toBeUndefined();
});

test.each<[string, unknown, string, string]>([
  [
    'U+0000',
    { tasks: [{ a: 'x' }, { b: { 'c d': '\0' } }] },
    'INVALID_PARAMETER_VALUE',
    'tasks[1].b.c d contains the character U+0000, which is not allowed in text.',
  ],
  [
    'half of a pair',
    ['x', '\ud800'],
    'INVALID_PARAMETER_VALUE',
    '[1] contains half of a surrogate pair; text must be valid Unicode.',
  ],
  [
    'a name with U+0000',
    { a: { '\0': 1 } },
    'INVALID_PARAMETER_VALUE',
    'a has a name that contains U+0000 or half of a surrogate pair; names must be valid Unicode.',
  ],
  [
    'a name at the top with half of a pair',
    { '\udc00': 1 },
    'INVALID_PARAMETER_VALUE',
    'The request has a name that contains U+0000 or half of a surrogate pair; names must be valid Unicode.',
  ],
  [
    'a number that overflowed',
    { x: [JSON.parse('-1e400')] },
    'INVALID_PARAMETER_VALUE',
    'x[0] is a number beyond the range of JSON numbers, which ends near 1.8e308.',
  ],
  [
    '101 levels',
    nested(101),
    'MALFORMED_REQUEST',
    'The request is nested too deeply; at most 100 levels of lists and objects are allowed.',
  ],
  [
    'a million levels',
    nested(1_000_000),
    'MALFORMED_REQUEST',
    'The request is nested too deeply; at most 100 levels of lists and objects are allowed.',
  ],
])('%s is refused', (_, value, code, message) => {
  expect(findUnstorableValue(value)).toMatchObject({ code, message });
});

let service: ApiHarness;
beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const authorization = `Bearer ${adminToken}`;
const post = (payload: string | Buffer) =>
  service.send({ method: 'POST', url: '/api/2.0/jobs/create', headers: { authorization }, payload });

test.each<[string, () => ReturnType<ApiHarness['send']>, RegExp]>([
  ['in a body', () => post('{"name":"a\\u0000"}'), /^name contains the character U\+0000/],
  [
    'in the address',
    () => service.send({ url: '/api/2.0/jobs/list?name=%00', headers: { authorization } }),
    /^name contains the character U\+0000/,
  ],
  [
    'in the body of a GET',
    () =>
      service.send({
        method: 'GET',
        url: '/api/2.0/jobs/list',
        payload: '{"name":"\\ud800"}',
        headers: { authorization },
      }),
    /^name contains half/,
  ],
  [
    'as bytes that are no UTF-8',
    () => post(Buffer.from('{"name":"Größe"}', 'latin1')),
    /the body is not UTF-8\.$/,
  ],
])('an unstorable value is refused %s', async (_, send, message) => {
  expect(await send()).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } });
});

test('numbers beyond 2^53 that the service returned are accepted again', async () => {
  const job = (x: string): string =>
    `{"x":${x},"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}`;
  for (const [sent, shown] of [
    ['1e20', '100000000000000000000'],
    ['1.2345678901234567e20', '123456789012345670000'],
    ['9007199254740992', '9007199254740992'],
  ] as const) {
    const created = idFrom(await post(job(sent)), 'job_id');
    const { settings } = Object(await service.get('2.0/jobs/get', { job_id: String(created) })).body;
    expect(JSON.stringify(settings.x)).toBe(shown);
    expect((await post(job(shown))).status).toBe(200);
  }
  expect((await post(job('9007199254740993'))).status).toBe(400);
});

test('a message is truncated without splitting a character', async () => {
  const answer = await service.send({ url: `/${'x'.repeat(8_000)}`, headers: { authorization } });
  expect(answer.status).toBe(404);
  expect(String(answer.body['message'])).toHaveLength(1_003);
  const refused = await service.post('2.0/jobs/create', {
    name: 'j',
    existing_cluster_id: 'c',
    notebook_task: { notebook_path: `${'x'.repeat(78)}\u{1f600}` },
  });
  expect(refused.status).toBe(400);
  expect(String(refused.body['message']).isWellFormed()).toBe(true);
});

test('an access control list of more than 1,000 entries is refused before its entries are validated', async () => {
  const list = Array.from({ length: 1_001 }, (_, index) => ({
    user_name: `u${index}`,
    permission_level: 'CAN_VIEW',
  }));
  expect(
    await service.post('2.0/jobs/create', {
      name: 'j',
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/n' },
      access_control_list: list,
    }),
  ).toMatchObject({
    status: 400,
    body: { message: 'access_control_list has 1001 entries; at most 1000 are allowed.' },
  });
});
