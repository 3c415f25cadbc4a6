/** Responses that are no JSON document: streams, and the bytes of files. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Streamed result of `handle`. Backpressure applies; the app destroys the stream when the client disconnects.
 */
export class StreamedResponse {
  readonly stream: Readable;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(stream: Readable, headers: Readonly<Record<string, string>>, status = 200) {
    this.stream = stream;
    this.headers = headers;
    this.status = status;
  }
}

/** Result of `handle` of a HEAD operation: headers alone. */
export class HeadResponse {
  readonly headers: Readonly<Record<string, string>>;

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.headers = headers;
  }
}

/** Result of `handle` that is the contents of a file, which clients save and never show as a page. */
export class FileResponse {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;

  /** @param name proposed name of the file */
  constructor(content: Buffer, name: string) {
    this.content = content;
    this.headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
    };
  }
}

/** Encodes a name for a header (RFC 5987). */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

type Contents = StreamedResponse | HeadResponse | FileResponse;

/** Tells whether the result of `handle` is no JSON document. */
export function isContents(answer: object): answer is Contents {
  return [StreamedResponse, HeadResponse, FileResponse].some((kind) => answer instanceof kind);
}

/** Sends a result that is no JSON document. */
export function sendContents(reply: FastifyReply, answer: Contents): FastifyReply {
  if (answer instanceof HeadResponse) return reply.headers(answer.headers).send();
  if (answer instanceof FileResponse) return reply.headers(answer.headers).send(answer.content);
  // A stream ends its connection: a kept-alive one would delay a graceful shutdown.
  const headers = { ...answer.headers, connection: 'close' };
  return reply.code(answer.status).headers(headers).send(answer.stream);
}
