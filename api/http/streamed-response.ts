/** Response that is sent while it is produced, instead of one JSON document. */
import type { Readable } from 'node:stream';

/**
 * Streamed result of `handle`. Backpressure applies; the app destroys the stream when the client disconnects.
 */
export class StreamedResponse {
  readonly stream: Readable;
  readonly headers: Readonly<Record<string, string>>;

  constructor(stream: Readable, headers: Readonly<Record<string, string>>) {
    this.stream = stream;
    this.headers = headers;
  }
}
