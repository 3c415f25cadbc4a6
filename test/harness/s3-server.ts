/** Small S3-compatible server for tests: it verifies signatures (version 4) and serves stored objects. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

export interface ObjectServer {
  readonly url: string;
  /** Content by path, which begins with the bucket. */
  readonly objects: Map<string, string | Buffer>;
  /** Handled requests as `METHOD path status`, in order. */
  readonly requestLog: string[];
  /** Called once after the next HEAD request. */
  afterHead: (() => void) | undefined;
  close(): Promise<void>;
}

export async function startObjectServer(accessKey: string, secretKey: string): Promise<ObjectServer> {
  const held: ObjectServer = {
    url: '',
    objects: new Map(),
    requestLog: [],
    afterHead: undefined,
    close: async () => undefined,
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/');
    const object = held.objects.get(path);
    const etag = object === undefined ? '' : `"${createHash('md5').update(object).digest('hex')}"`;
    const status = statusOf(request, { accessKey, secretKey }, object, etag);
    held.requestLog.push(`${request.method} ${path} ${status}`);
    const body = status === 200 ? Buffer.from(object ?? '') : Buffer.from('<Error/>');
    response.writeHead(status, { ...(status === 200 && { etag }), 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
    if (request.method === 'HEAD') {
      held.afterHead?.();
      held.afterHead = undefined;
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return Object.assign(held, {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

function statusOf(
  request: IncomingMessage,
  keys: { accessKey: string; secretKey: string },
  object: unknown,
  etag: string,
): number {
  if (!isSigned(request, keys)) return 403;
  if (object === undefined) return 404;
  const expectedTag = request.headers['if-match'];
  return expectedTag !== undefined && expectedTag !== etag ? 412 : 200;
}

/** Returns true when the Authorization header matches the request by signature version 4. */
function isSigned(
  request: IncomingMessage,
  { accessKey, secretKey }: { accessKey: string; secretKey: string },
): boolean {
  const [, key, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  const [day = '', region = '', service = '', end = ''] = scope.split('/');
  const time = String(request.headers['x-amz-date']);
  const headers = signed
    .split(';')
    .map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
    .join('');
  const canonical = [
    request.method,
    request.url,
    '',
    headers,
    signed,
    request.headers['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  );
  const hmac = (by: string | Buffer, data: string): Buffer => createHmac('sha256', by).update(data).digest();
  const expected = hmac(hmac(hmac(hmac(hmac(`AWS4${secretKey}`, day), region), service), end), text).toString(
    'hex',
  );
  return (
    key === accessKey &&
    service === 's3' &&
    end === 'aws4_request' &&
    signed.includes('host') &&
    time.startsWith(day) &&
    expected === signature
  );
}
