/** Logs and bundles of runs as clients receive them. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar';
import { expect } from 'vitest';
import type { ResponseBody, ApiClient } from './api-client.ts';

/** Server-sent event of a followed log. */
export interface LogEvent {
  readonly id: number;
  readonly name: string;
  readonly data: ResponseBody;
}

/** Follows a log until its end or until `signal` is aborted. */
export async function* followLog(
  runyard: ApiClient,
  input: Record<string, string | number>,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): AsyncGenerator<LogEvent> {
  const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]));
  const response = await fetch(`${runyard.url}/api/2.1/jobs/runs/logs/stream?${query}`, {
    headers: { authorization: `Bearer ${runyard.token}`, ...headers },
    ...(signal !== undefined && { signal }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const [, id, name, data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined) yield { id: Number(id), name, data: JSON.parse(data) };
    }
  }
}

/** Collects all events of a log up to its end. */
export async function collectEvents(events: AsyncIterable<LogEvent>): Promise<LogEvent[]> {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Text of a log, joined from its events. */
export const logTextOf = (events: readonly LogEvent[]): string =>
  events
    .filter(({ name }) => name === 'log')
    .map(({ data }) => data.content)
    .join('');

/** Downloads and unpacks a bundle: its uncompressed bytes as text, and its files by path. */
export async function downloadBundle(
  runyard: ApiClient,
  runId: number,
): Promise<{ readonly text: string; readonly files: ReadonlyMap<string, string> }> {
  const response = await fetch(`${runyard.url}/api/2.1/jobs/runs/bundle?run_id=${runId}`, {
    headers: { authorization: `Bearer ${runyard.token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  const packed = Buffer.from(await response.arrayBuffer());
  const directory = await mkdtemp(join(tmpdir(), 'runyard-bundle-'));
  try {
    await writeFile(join(directory, 'bundle.tar.gz'), packed);
    await extract({ file: join(directory, 'bundle.tar.gz'), cwd: directory, strict: true });
    await rm(join(directory, 'bundle.tar.gz'));
    const names = (await readdir(directory, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const files = await Promise.all(
      names.map(async (name): Promise<[string, string]> => [
        name.slice(directory.length + 1),
        await readFile(name, 'utf8'),
      ]),
    );
    return { text: gunzipSync(packed).toString('utf8'), files: new Map(files) };
  } finally {
    await rm(directory, { recursive: true });
  }
}
