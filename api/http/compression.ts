/** Compression of large responses: JSON documents, pages and their scripts. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Smaller responses fit into few packets; compressing them costs more than it saves. */
const minimumBytes = 8 * 1_024;

const compressibleType =
  /^(?:application\/(?:json|javascript|manifest\+json)|text\/(?!event-stream)|image\/svg\+xml)/;

/** Fast levels: the service has better uses for its processor. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipOptions = { level: 4 };

type Encoding = 'br' | 'gzip';

/** Compresses responses of at least 8 KB with the encoding that the client prefers. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (!isCompressible(reply, payload)) return payload;
    reply.header('vary', 'accept-encoding');
    const encoding = selectEncoding(request.headers['accept-encoding']);
    if (encoding === undefined || request.method === 'HEAD') return payload;
    reply.header('content-encoding', encoding);
    if (payload instanceof Readable) {
      reply.removeHeader('content-length');
      const encoder = encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
      payload.on('error', (error) => encoder.destroy(error));
      return payload.pipe(encoder);
    }
    const compressed = await compress(Buffer.from(String(payload)), encoding);
    reply.header('content-length', compressed.length);
    return compressed;
  });
}

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  if (reply.statusCode !== 200 || reply.hasHeader('content-encoding')) return false;
  if (!compressibleType.test(String(reply.getHeader('content-type') ?? ''))) return false;
  if (payload instanceof Readable) return Number(reply.getHeader('content-length') ?? 0) >= minimumBytes;
  return typeof payload === 'string' && payload.length >= minimumBytes;
}

function compress(text: Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br'
    ? promisify(brotliCompress)(text, brotliOptions)
    : promisify(gzip)(text, gzipOptions);
}

/**
 * Selects the encoding of a response by the Accept-Encoding header: the one of greater weight, brotli of equals.
 * Undefined when the client accepts neither.
 */
export function selectEncoding(header: string | string[] = ''): Encoding | undefined {
  const weights = new Map(
    String(header)
      .toLowerCase()
      .split(',')
      .map((entry): [string, number] => {
        const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
        return [name, weight === undefined ? 1 : Number(weight)];
      }),
  );
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best: Encoding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : undefined;
}
