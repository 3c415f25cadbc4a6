/** Receiver of webhooks that keeps every call and answers as configured. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly time: number;
}

/** `stall` never responds, `cut` closes the connection, `half` closes it within the body of a 200. */
export type ResponseBehavior =
  | number
  | 'stall'
  | 'cut'
  | 'half'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface HttpReceiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Queues responses for the next calls of a path; later calls get the default response. */
  queueResponses(path: string, ...behaviors: ResponseBehavior[]): void;
  /** Sets the response of a path for calls without a queued response; it is 200 at first. */
  setDefaultResponse(path: string, behavior: ResponseBehavior): void;
  /** Resolves when `isReached` accepts the calls. */
  waitForCalls(isReached: (calls: readonly ReceivedCall[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startHttpReceiver(port = 0): Promise<HttpReceiver> {
  const calls: ReceivedCall[] = [];
  const queued = new Map<string, ResponseBehavior[]>();
  const defaults = new Map<string, ResponseBehavior>();
  const waiters = new Set<() => void>();
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
      const behavior = queued.get(path)?.shift() ?? defaults.get(path) ?? 200;
      if (behavior === 'cut') request.socket.destroy();
      else if (behavior === 'half') {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('ha', () => request.socket.destroy());
      } else if (behavior !== 'stall') {
        const {
          status,
          headers = {},
          body = 'ok',
        } = typeof behavior === 'number' ? { status: behavior } : behavior;
        response.writeHead(status, headers).end(body);
      }
      for (const notify of waiters) notify();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    calls,
    queueResponses: (path, ...behaviors) => {
      queued.set(path, behaviors);
    },
    setDefaultResponse: (path, behavior) => {
      defaults.set(path, behavior);
    },
    waitForCalls: (isReached) =>
      new Promise((resolve) => {
        const notify = (): void => {
          if (!isReached(calls)) return;
          waiters.delete(notify);
          resolve();
        };
        waiters.add(notify);
        notify();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
