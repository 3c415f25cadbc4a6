/** An answer that is sent while it is made, instead of as one piece of JSON. */
import type { Readable } from 'node:stream';

/**
 * What `handle` of an operation returns then. The app sends it as fast as it is read, and destroys it when
 * the caller goes.
 */
export class StreamedResponse {
  readonly stream: Readable;
  readonly headers: Readonly<Record<string, string>>;

  constructor(stream: Readable, headers: Readonly<Record<string, string>>) {
    this.stream = stream;
    this.headers = headers;
  }
}
