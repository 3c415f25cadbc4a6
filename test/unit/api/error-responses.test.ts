/** Error responses of the HTTP layer. */
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Type } from 'typebox';
import { pino } from 'pino';
import { defineOperation, type Operation } from '../../../api/http/operation.ts';
import { StreamedResponse } from '../../../api/http/streamed-response.ts';
import { ServiceError } from '../../../engine/errors.ts';
import { adminToken, startApiHarness, type ApiHarness } from './api-harness.ts';

const authorization = `Bearer ${adminToken}`;

let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});

afterAll(() => service.close());

describe('error responses', () => {
  test.each([
    [
      'bad JSON',
      'POST',
      '/api/2.0/jobs/create',
      '{',
      400,
      'MALFORMED_REQUEST',
      /^Invalid JSON given in the body of the request - expected a map/,
    ],
    [
      'a list for a body',
      'POST',
      '/api/2.0/jobs/create',
      '[1]',
      400,
      'MALFORMED_REQUEST',
      /^Invalid JSON given in the body of the request - expected a map$/,
    ],
    [
      'null for a body',
      'POST',
      '/api/2.0/jobs/delete',
      'null',
      400,
      'INVALID_PARAMETER_VALUE',
      /^Missing required field: job_id\.$/,
    ],
    [
      'no body',
      'POST',
      '/api/2.0/jobs/delete',
      undefined,
      400,
      'INVALID_PARAMETER_VALUE',
      /^Missing required field: job_id\.$/,
    ],
    ['a list for a GET body', 'GET', '/api/2.0/jobs/get', '[]', 400, 'MALFORMED_REQUEST', /expected a map$/],
    [
      'a poisoned prototype',
      'POST',
      '/api/2.0/jobs/create',
      '{"__proto__":{}}',
      400,
      'MALFORMED_REQUEST',
      /prototype/,
    ],
    [
      'an integer that JSON would round',
      'POST',
      '/api/2.0/jobs/create',
      '{"x":9007199254740993}',
      400,
      'INVALID_PARAMETER_VALUE',
      /^x is 9007199254740993; /,
    ],
    [
      'an unknown path',
      'POST',
      '/api/2.1/jobs/foo',
      '{}',
      404,
      'ENDPOINT_NOT_FOUND',
      /^No API found for 'POST \/jobs\/foo'$/,
    ],
    [
      'an unknown method',
      'GET',
      '/api/2.0/jobs/create?x=1',
      undefined,
      404,
      'ENDPOINT_NOT_FOUND',
      /^No API found for 'GET \/jobs\/create'$/,
    ],
    [
      'an unknown version',
      'GET',
      '/api/3.0/jobs/list',
      undefined,
      404,
      'ENDPOINT_NOT_FOUND',
      /^No API found for 'GET \/api\/3\.0\/jobs\/list'$/,
    ],
    ['a broken address', 'GET', '/api/2.0/%zz', undefined, 400, 'MALFORMED_REQUEST', /not a valid url/],
  ] as const)('%s', async (_, method, url, payload, status, error_code, message) => {
    const answer = await service.send({
      method,
      url,
      headers: { authorization },
      ...(payload === undefined ? {} : { payload }),
    });
    expect(answer).toMatchObject({ status, body: { error_code, message: expect.stringMatching(message) } });
  });

  test('spec 8: a body over 10 MB returns 413', async () => {
    const answer = await service.post('2.0/jobs/create', { name: 'x'.repeat(10 * 2 ** 20) });
    expect(answer).toMatchObject({
      status: 413,
      body: { error_code: 'REQUEST_TOO_LARGE', message: 'Size of the request body exceeds 10485760 bytes' },
    });
  });

  test.each([
    [
      'headers that are too large',
      `GET /healthz HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      'The headers of the request are too large.',
    ],
    ['what is not HTTP', 'hello\r\n\r\n', 'The request is not valid HTTP.'],
  ])('%s', async (_, sent, message) => {
    const listening = await startApiHarness();
    const { port } = new URL(await listening.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(sent);
    const answer = await text(socket);
    await listening.close();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n');
    expect(answer).toContain(JSON.stringify({ error_code: 'MALFORMED_REQUEST', message }));
  });

  test.each([
    ['a bug', new Error('secret of the inside'), 500, 'INTERNAL_ERROR', undefined],
    [
      'spec 7, a 500-level answer: a fault of the database that passes',
      Object.assign(new Error('secret'), { code: '57P01' }),
      503,
      'TEMPORARILY_UNAVAILABLE',
      '1',
    ],
    [
      'a limit',
      new ServiceError('REQUEST_LIMIT_EXCEEDED', 'secret is no secret here', 7),
      429,
      'REQUEST_LIMIT_EXCEEDED',
      '7',
    ],
  ])('%s', async (_, error, status, error_code, retryAfter) => {
    const lines: string[] = [];
    const failing = await startApiHarness({
      operations: [failingOperation(() => Promise.reject(error))],
      log: pino(
        {},
        {
          write: (line) => {
            lines.push(line);
          },
        },
      ),
    });
    const answer = await failing.get('2.0/fail');
    await failing.close();
    expect(answer).toMatchObject({ status, body: { error_code } });
    expect(answer.headers['retry-after']).toBe(retryAfter);
    if (status !== 429) expect(JSON.stringify(answer.body)).not.toContain('secret');
    // The log contains the details that the response omits, with the request id.
    if (status !== 429) expect(lines.find((line) => line.includes('secret'))).toContain('"reqId"');
  });

  test.each([
    ['a bug', new Error('unreadable'), 500, 'INTERNAL_ERROR'],
    ['a refusal', new ServiceError('NOT_FOUND', 'gone'), 404, 'NOT_FOUND'],
  ])('a stream that fails before its first byte: %s', async (_, error, status, error_code) => {
    const failing = await startApiHarness({
      operations: [
        failingOperation(async () => {
          const stream = new Readable({ read: () => stream.destroy(error) });
          return new StreamedResponse(stream, {
            'content-type': 'application/gzip',
            'content-length': '7',
            'content-disposition': 'attachment; filename="run.tar.gz"',
          });
        }),
      ],
    });
    const answer = await failing.get('2.0/fail');
    await failing.close();
    expect(answer).toMatchObject({
      status,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      body: { error_code },
    });
    expect(answer.headers).not.toHaveProperty('content-disposition');
  });

  describe('a database that is away', () => {
    const failure = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    const unchanged = 'The database is not reachable; nothing was changed. Send the request again.';
    const unknown = 'The connection to the database was lost; it is not known whether the change was made.';

    test.each<[string, 'GET' | 'POST', object, boolean, unknown, string | undefined, string]>([
      ['before the commit', 'POST', {}, false, failure, '1', unchanged],
      ['in a read', 'GET', {}, true, failure, '1', unchanged],
      [
        'in the commit',
        'POST',
        {},
        true,
        failure,
        undefined,
        `${unknown} Check that before you send the request again.`,
      ],
      [
        'in the commit of a request with an idempotency_token',
        'POST',
        { idempotency_token: 'x' },
        true,
        failure,
        '1',
        `${unknown} Send the request again; its idempotency_token prevents a second run.`,
      ],
      [
        'because of a conflict',
        'POST',
        {},
        false,
        Object.assign(new Error('deadlock detected'), { code: '40P01' }),
        '1',
        'The database cannot do this now; nothing was changed. Send the request again.',
      ],
    ])('%s', async (_, method, body, isUnknown, error, retryAfter, message) => {
      const failing = await startApiHarness({
        operations: [
          defineOperation({
            method,
            path: '/fail',
            versions: ['2.0'],
            scope: 'jobs',
            summary: '',
            description: '',
            request: Type.Object({ idempotency_token: Type.Optional(Type.String()) }),
            response: Type.Object({}),
            handle: () => Promise.reject(error),
          }),
        ],
        changes: { track: (work) => work(), isOutcomeUnknown: () => isUnknown },
      });
      const answer = await (method === 'GET' ? failing.get('2.0/fail') : failing.post('2.0/fail', body));
      await failing.close();
      expect(answer).toMatchObject({ status: 503, body: { error_code: 'TEMPORARILY_UNAVAILABLE', message } });
      expect(answer.headers['retry-after']).toBe(retryAfter);
    });
  });
});

function failingOperation(handle: () => Promise<object>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/fail',
    versions: ['2.0'],
    scope: 'jobs',
    summary: '',
    description: '',
    request: Type.Object({}),
    response: Type.Object({}),
    handle,
  });
}
