/** A receiver of webhooks: keeps every call, and answers as it is told. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly time: number;
}

/**
 * `stall`: never answers. `cut`: ends the connection without an answer. `half`: cuts it within the body of a
 * 200.
 */
export type ResponseBehavior =
  | number
  | 'stall'
  | 'cut'
  | 'half'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface HttpReceiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** What the next calls of a path are answered with, one after the other; then 200. */
  queueResponses(path: string, ...answers: ResponseBehavior[]): void;
  /** What every call of a path is answered with, once its own answers are used up. */
  setDefaultResponse(path: string, answer: ResponseBehavior): void;
  /** Resolves when `holds` is true of the calls. */
  waitForCalls(holds: (calls: readonly ReceivedCall[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startHttpReceiver(port = 0): Promise<HttpReceiver> {
  const calls: ReceivedCall[] = [];
  const answers = new Map<string, ResponseBehavior[]>();
  const standing = new Map<string, ResponseBehavior>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      calls.push({
        path,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        time: Date.now(),
      });
      const how = answers.get(path)?.shift() ?? standing.get(path) ?? 200;
      if (how === 'cut') request.socket.destroy();
      else if (how === 'half') {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('ha', () => request.socket.destroy());
      } else if (how !== 'stall') {
        const { status, headers = {}, body = 'ok' } = typeof how === 'number' ? { status: how } : how;
        response.writeHead(status, headers).end(body);
      }
      for (const look of waiting) look();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    calls,
    queueResponses: (path, ...given) => {
      answers.set(path, given);
    },
    setDefaultResponse: (path, given) => {
      standing.set(path, given);
    },
    waitForCalls: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds(calls)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
