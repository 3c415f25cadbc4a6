/** Raw HTTP requests that client libraries do not send. */
import * as fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { assertValidResponse, isStreamed } from './fuzz-service.ts';
import { mutatedBytes } from './fuzz-bytes.ts';
import type { ApiResponse } from './api-harness.ts';

/** Sends the request described by options of `inject` over HTTP. */
export async function sendOverHttp(
  base: string,
  { method = 'GET', url, headers = {}, payload }: InjectOptions,
): Promise<ApiResponse> {
  const sent = httpRequest(base, { method, path: String(url), headers });
  sent.end(payload);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('There was no response.');
  const status = response.statusCode ?? 0;
  // The answer to a HEAD request has no body.
  if (method === 'HEAD') return { status, headers: response.headers, body: {} };
  if (status !== 200 || !isStreamed(response.headers))
    return { status, headers: response.headers, body: JSON.parse(await text(response)) };
  // A stream lasts as long as its run.
  response.destroy();
  return { status, headers: response.headers, body: {} };
}

/**
 * Sends bytes and reads the response; an error response must be valid.
 * Keeps the connection open until there is a response or `giveUp` resolves, which it never does by default.
 * @returns the first response; status 0 when there was none
 */
export async function sendBytes(
  base: string,
  sent: string | Buffer,
  giveUp: () => Promise<void> = () => new Promise(() => undefined),
): Promise<{ readonly status: number; readonly body: string }> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  // The service may close the connection before it has read everything.
  socket.on('error', () => undefined);
  const received = buffer(socket).catch(() => Buffer.alloc(0));
  socket.write(sent);
  await Promise.race([received, once(socket, 'close'), once(socket, 'readable'), giveUp()]);
  socket.end();
  const [head = '', ...rest] = (await received).toString('utf8').split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
  expect(status === 0 ? head : '').toBe('');
  const type = /^content-type: (.*)$/im.exec(head)?.[1];
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  // HEAD has a length and no body.
  const body = Buffer.from(rest.join('\r\n\r\n')).subarray(
    0,
    /^\s*HEAD/.test(sent.toString()) ? 0 : length || 0,
  );
  if (status >= 400 && body.length === length)
    assertValidResponse({
      status,
      headers: { 'content-type': type },
      body: JSON.parse(body.toString('utf8')),
    });
  return { status, body: body.toString('utf8') };
}

const host = 'Host: h\r\nConnection: close\r\n';
const authorizedHeaders = `Authorization: Bearer TOKEN\r\n${host}`;
const list = '/api/2.1/jobs/list';

/** Name, bytes and expected status of each request. */
export const unusualHttpRequests: readonly (readonly [string, string, number])[] = [
  [
    'a body in chunks',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Transfer-Encoding: chunked\r\n\r\n5\r\n{"job\r\n8\r\n_id": 9}\r\n0\r\n\r\n`,
    200,
  ],
  [
    'a chunk without a size',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Transfer-Encoding: chunked\r\n\r\nx\r\n`,
    400,
  ],
  [
    'chunks and a length',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'an unknown transfer coding',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Transfer-Encoding: gzip\r\n\r\n`,
    400,
  ],
  [
    'a length that is not a number',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Content-Length: x\r\n\r\n`,
    400,
  ],
  [
    'a negative length',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Content-Length: -1\r\n\r\n`,
    400,
  ],
  [
    'two lengths',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    400,
  ],
  [
    'a length beyond the limit',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Content-Length: 99999999999\r\n\r\n{}`,
    413,
  ],
  [
    'compressed content',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x0b\x08`,
    400,
  ],
  ['an unknown expectation', `GET ${list} HTTP/1.1\r\n${authorizedHeaders}Expect: wonders\r\n\r\n`, 200],
  [
    'an upgrade',
    `GET ${list} HTTP/1.1\r\nAuthorization: Bearer TOKEN\r\nHost: h\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    200,
  ],
  ['HTTP/1.0', `GET ${list} HTTP/1.0\r\nAuthorization: Bearer TOKEN\r\n\r\n`, 200],
  ['HTTP/0.9', `GET ${list}\r\n\r\n`, 401],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no host', `GET ${list} HTTP/1.1\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n\r\n`, 400],
  ['a lower-case method', `get ${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 400],
  ['an unknown method', `BREW ${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 400],
  ['HEAD', `HEAD ${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 404],
  ['TRACE', `TRACE ${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 404],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${authorizedHeaders}\r\n`, 404],
  ['CONNECT', `CONNECT h:80 HTTP/1.1\r\n${authorizedHeaders}\r\n`, 0],
  ['an absolute URL', `GET http://h${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 200],
  ['two slashes', `GET //${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 404],
  [
    'a path with parent folders',
    `GET /api/2.1/jobs/../../../etc/passwd HTTP/1.1\r\n${authorizedHeaders}\r\n`,
    404,
  ],
  ['a long URL', `GET ${list}?name=${'x'.repeat(15_000)} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 200],
  ['a long unknown URL', `GET /${'x'.repeat(15_000)} HTTP/1.1\r\n${authorizedHeaders}\r\n`, 404],
  ['a URL with bytes outside ASCII', `GET ${list}?name=\xff\xfe HTTP/1.1\r\n${authorizedHeaders}\r\n`, 400],
  ['lines that end with a line feed', `GET ${list} HTTP/1.1\nHost: h\n\n`, 400],
  ['a null byte in a header', `GET ${list} HTTP/1.1\r\n${authorizedHeaders}X: a\0b\r\n\r\n`, 400],
  ['a folded header', `GET ${list} HTTP/1.1\r\n${authorizedHeaders}X: a\r\n b\r\n\r\n`, 400],
  ['two tokens', `GET ${list} HTTP/1.1\r\nAuthorization: Bearer x\r\n${authorizedHeaders}\r\n`, 403],
  [
    'a method in a header',
    `GET ${list} HTTP/1.1\r\n${authorizedHeaders}X-HTTP-Method-Override: DELETE\r\n\r\n`,
    200,
  ],
  [
    'two requests at once',
    `GET ${list} HTTP/1.1\r\nAuthorization: Bearer TOKEN\r\nHost: h\r\n\r\nGET ${list} HTTP/1.1\r\n${authorizedHeaders}\r\n`,
    200,
  ],
];

/** Incomplete requests: name, bytes and expected status. */
export const incompleteRequests: typeof unusualHttpRequests = [
  [
    'unterminated chunks',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Transfer-Encoding: chunked\r\n\r\n5\r\n{"job`,
    400,
  ],
  [
    'a body shorter than its length',
    `POST /api/2.1/jobs/delete HTTP/1.1\r\n${authorizedHeaders}Content-Length: 50\r\n\r\n{"job_id":9}`,
    400,
  ],
  ['no bytes', '', 0],
];

/** Generates requests with mutated bytes. */
export function mutatedRequests(token: string): fc.Arbitrary<Buffer> {
  const whole = fc.constantFrom(...unusualHttpRequests.map(([, sent]) => sent.replaceAll('TOKEN', token)));
  const cut = fc
    .tuple(
      whole,
      fc.nat(),
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '\r\n\r\n',
        ' ',
        ':',
        '\0',
        '%',
        '\t',
        'HTTP/1.1',
        'x'.repeat(20_000),
      ),
      fc.nat(3),
    )
    .map(([sent, place, piece, gone]) => {
      const at = place % (sent.length + 1);
      return sent.slice(0, at) + piece + sent.slice(at + gone);
    });
  return mutatedBytes(cut);
}
