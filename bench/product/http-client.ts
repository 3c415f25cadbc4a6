/** A client with kept-alive connections. It costs less than `fetch`, so that it takes less from the engine. */
import { Agent, request } from 'node:http';
import type { EngineUnderTest } from '../engine-under-test.ts';

export interface HttpClient {
  /** Sends a request to an operation such as `2.1/jobs/run-now`. @throws Error for an answer other than 200 */
  call(method: 'GET' | 'POST', operation: string, body?: object): Promise<Record<string, unknown>>;
  close(): void;
}

/**
 * @param tokens used in turn: each has a limit of requests a second
 * @param connections maximum number of open connections
 */
export function connectTo(
  { url }: Pick<EngineUnderTest, 'url'>,
  tokens: readonly string[],
  connections: number,
): HttpClient {
  let sentRequests = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    call: (method, operation, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? '' : JSON.stringify(body);
        const headers = {
          authorization: `Bearer ${tokens[sentRequests++ % tokens.length]}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        };
        const sent = request(`${url}/api/${operation}`, { method, agent, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            const answer = Buffer.concat(parts).toString('utf8');
            if (response.statusCode === 200) resolve(JSON.parse(answer));
            else reject(new Error(`${operation}: ${response.statusCode} ${answer}`));
          });
        });
        sent.on('error', reject);
        sent.end(text);
      }),
    close: () => agent.destroy(),
  };
}

/** Runs `work` `count` times, at most `width` at the same time; returns the results in their order. */
export async function runConcurrently<Result>(
  count: number,
  width: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const takeAll = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, takeAll));
  return results;
}

/** Waits until no run is active. */
export async function waitUntilIdle(client: Pick<HttpClient, 'call'>, everyMs = 20): Promise<void> {
  const isActive = async (): Promise<boolean> =>
    '0' in Object((await client.call('GET', '2.1/jobs/runs/list?active_only=true&limit=1'))['runs'] ?? []);
  while (await isActive()) await pause(everyMs);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** High resolution, in milliseconds; comparable between processes of one machine. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Returns the duration of `work` in milliseconds. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const before = nowMs();
  await work();
  return nowMs() - before;
}
