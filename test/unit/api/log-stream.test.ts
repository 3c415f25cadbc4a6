/** Events of a followed log: backpressure, heartbeats and the end of the stream. */
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { streamLogEvents, type LogStreamOptions } from '../../../api/runs/log-events.ts';
import type { LogReader } from '../../../engine/ports/attempt-logs.ts';
import { noMask } from '../../../engine/run/masking.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a log of the given size that counts reads and watches. */
function logOf(size: number): {
  readonly reader: LogReader;
  readonly seen: { pages: number; watched: number; closed: number };
  grow: (by: number) => void;
} {
  let length = size;
  const seen = { pages: 0, watched: 0, closed: 0 };
  const reader: LogReader = {
    async readPage(_log, offset, limit) {
      seen.pages += 1;
      const next = Math.min(length, offset + limit);
      return { offset, nextOffset: next, size: length, text: 'x'.repeat(next - offset) };
    },
    readTail: () => Promise.reject(new Error('readTail is not expected.')),
    getSize: async () => length,
    watch() {
      seen.watched += 1;
      return () => {
        seen.closed += 1;
      };
    },
  };
  return {
    reader,
    seen,
    grow: (by) => {
      length += by;
    },
  };
}

const following = (logs: LogReader, until: AbortSignal, isTerminal = false): LogStreamOptions => ({
  logs,
  log: { runId: 1, stream: 'stdout' },
  offset: 0,
  mask: noMask,
  readState: async () => ({ isTerminal, state: {} }),
  signal: until,
});

test('a slow reader causes backpressure: little more is read from the log than was consumed', async () => {
  const { reader, seen } = logOf(Number.MAX_SAFE_INTEGER);
  const leaving = new AbortController();
  const stream = Readable.from(streamLogEvents(following(reader, leaving.signal)), {
    objectMode: false,
    highWaterMark: 16 * 1_024,
  });
  await new Promise<void>((resolve) => {
    stream.once('readable', resolve);
  });
  for (let turn = 0; turn < 100; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  expect(seen.pages).toBeLessThan(5);
  leaving.abort();
  stream.resume();
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  expect(seen.pages).toBeLessThan(6);
});

describe('a log that is silent', () => {
  test('is polled with backoff, and heartbeats are sent', async () => {
    vi.useFakeTimers();
    const { reader, seen } = logOf(3);
    const leaving = new AbortController();
    const events: string[] = [];
    const reading = (async () => {
      for await (const event of streamLogEvents(following(reader, leaving.signal))) events.push(event);
    })();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(events.slice(0, 2)).toEqual([
      'retry: 1000\n\n',
      'id: 3\nevent: log\ndata: {"offset":0,"content":"xxx"}\n\n',
    ]);
    expect(events.slice(2).every((event) => event === ': nothing new\n\n')).toBe(true);
    expect(events.slice(2).length).toBeGreaterThanOrEqual(6);
    expect(seen.pages).toBeLessThan(40);
    leaving.abort();
    await reading;
    expect(seen.closed).toBe(seen.watched);
  });

  test('sends text written before the watch started', async () => {
    vi.useFakeTimers();
    const { reader, grow } = logOf(0);
    const leaving = new AbortController();
    const events: string[] = [];
    const reading = (async () => {
      for await (const event of streamLogEvents(following(reader, leaving.signal))) events.push(event);
    })();
    await vi.advanceTimersByTimeAsync(60_000);
    grow(2);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(events.at(-1)).toContain('"content":"xx"');
    leaving.abort();
    await reading;
  });
});

test('a terminated attempt without output sends only the end event', async () => {
  const { reader } = logOf(0);
  const events: string[] = [];
  for await (const event of streamLogEvents(following(reader, new AbortController().signal, true)))
    events.push(event);
  expect(events.slice(1)).toEqual(['id: 0\nevent: end\ndata: {"offset":0}\n\n']);
});
