/**
 * Pages and tails of log files: valid text without secrets for every page size, growing file and truncation.
 */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { logStreams } from '../../../engine/log-file.ts';
import type { LogPage, LogReadOptions } from '../../../engine/ports/attempt-logs.ts';
import { createMask, noMask, type Mask } from '../../../engine/run/masking.ts';
import { createLogFiles } from '../../../storage/files/log-files.ts';

const base = await mkdtemp(join(tmpdir(), 'runyard-logs-'));
const logs = createLogFiles({ runs: { directory: base, title: 'runs' } });
let last = 0;

afterAll(() => rm(base, { recursive: true, force: true }));

/** Creates a run with this stdout; `cut` marks a truncated range, which the tests fill with `#`. */
async function logOf(
  bytes: Uint8Array | string,
  cut?: readonly [number, number, number],
): Promise<{ runId: number; path: string }> {
  last += 1;
  const path = join(base, String(last), 'stdout');
  await mkdir(join(base, String(last)));
  await writeFile(path, bytes);
  if (cut !== undefined) await writeFile(`${path}.cut`, `${cut.join(' ')}\n`);
  return { runId: last, path };
}

const seen = (mask: Mask = noMask, over = true): LogReadOptions => ({ mask, isComplete: over });

async function pagesFrom(runId: number, limit: number, view: LogReadOptions, from = 0): Promise<LogPage[]> {
  const pages: LogPage[] = [];
  for (let offset = from; ;) {
    const page = await logs.readPage({ runId, stream: 'stdout' }, offset, limit, view);
    if (page.nextOffset === offset) return pages;
    pages.push(page);
    offset = page.nextOffset;
  }
}

const textOf = (pages: readonly LogPage[]): string => pages.map((page) => page.text).join('');

const secrets = createMask(['secret-1', 'ets€x', 'aaaa']);
const piece = fc.oneof(
  fc.constantFrom('secret-1', 'ets€x', 'aaaa', 'a', 'secret', 'ets', '\n', '€', '😀', 'text', '\u001B[31m'),
  fc.uint8Array({ maxLength: 6 }),
);
const content = fc
  .array(piece, { maxLength: 30 })
  .map((pieces) => Buffer.concat(pieces.map((one) => Buffer.from(one))));

describe('pages', () => {
  test('of any size together are the log, and none exceeds the page size', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (bytes, limit, hide) => {
        const { runId } = await logOf(bytes);
        const view = seen(hide ? secrets : noMask);
        const pages = await pagesFrom(runId, limit, view);
        const whole = await logs.readPage({ runId, stream: 'stdout' }, 0, 100_000, view);
        expect(textOf(pages)).toBe(whole.text);
        expect(whole.nextOffset).toBe(bytes.length);
        if (!hide) expect(whole.text).toBe(bytes.toString('utf8'));
        else expect(whole.text).not.toMatch(/secret-1|ets€x|aaaa/);
        for (const page of pages)
          expect(page.nextOffset - page.offset).toBeLessThanOrEqual(Math.max(4, limit));
      }),
      { numRuns: 300 },
    );
  });

  test('of a growing log equal those of the complete log: incomplete characters and secrets are held back', async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 }),
        async (bytes, steps) => {
          const { runId, path } = await logOf('');
          let text = '';
          let offset = 0;
          const read = async (over: boolean): Promise<void> => {
            const pages = await pagesFrom(runId, 16, seen(secrets, over), offset);
            text += textOf(pages);
            offset = pages.at(-1)?.nextOffset ?? offset;
          };
          let written = 0;
          for (const step of steps) {
            await appendFile(path, bytes.subarray(written, written + step));
            written += step;
            await read(false);
          }
          await appendFile(path, bytes.subarray(written));
          await read(true);
          expect(text).toBe(
            (await logs.readPage({ runId, stream: 'stdout' }, 0, 100_000, seen(secrets))).text,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('start at an offset within a character or after the end', async () => {
    const { runId } = await logOf('€uro');
    expect(await logs.readPage({ runId, stream: 'stdout' }, 1, 100, seen())).toEqual({
      offset: 1,
      nextOffset: 6,
      size: 6,
      text: '\uFFFD\uFFFDuro',
    });
    expect(await logs.readPage({ runId, stream: 'stdout' }, 99, 100, seen())).toEqual({
      offset: 6,
      nextOffset: 6,
      size: 6,
      text: '',
    });
  });
});

describe('a truncated log', () => {
  const mark = '\n[runyard: 20 bytes left out here; RUNYARD_LOG_BYTES_MAX is 16 bytes]\n';

  test('shows a mark in the truncated range and keeps its offsets', async () => {
    const { runId } = await logOf(`head\n${'#'.repeat(20)}tail\n`, [5, 25, 16]);
    const pages = await pagesFrom(runId, 3, seen());
    expect(textOf(pages)).toBe(`head\n${mark}tail\n`);
    expect(pages.map(({ offset, nextOffset }) => [offset, nextOffset])).toEqual([
      [0, 3],
      [3, 5],
      [5, 25],
      [25, 28],
      [28, 30],
    ]);
    // A reader had read beyond the start of the range before the truncation.
    expect(await logs.readPage({ runId, stream: 'stdout' }, 15, 100, seen())).toMatchObject({
      nextOffset: 25,
      text: '\n[runyard: 10 bytes left out here; RUNYARD_LOG_BYTES_MAX is 16 bytes]\n',
    });
  });

  test('masks a secret that the truncation cuts in half', async () => {
    const { runId } = await logOf(`head secr${'#'.repeat(20)}et-1 tail`, [9, 29, 16]);
    expect(textOf(await pagesFrom(runId, 100, seen(secrets)))).toBe(`head ***${mark}*** tail`);
  });

  test('never shows truncated bytes or a secret, for any offset and page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        content,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 30 }),
        async (head, tail, offset, limit) => {
          const [clean, rest] = [head, tail].map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 35)));
          if (clean === undefined || rest === undefined) return;
          const { runId } = await logOf(Buffer.concat([clean, Buffer.alloc(20, '#'), rest]), [
            clean.length,
            clean.length + 20,
            16,
          ]);
          expect(textOf(await pagesFrom(runId, limit, seen(secrets), offset))).not.toMatch(
            /#|secret-1|ets€x|aaaa/,
          );
          expect(
            (await logs.readTail({ runId, stream: 'stdout' }, 3, limit, seen(secrets))).text,
          ).not.toMatch(/#|secret-1|ets€x|aaaa/);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('has a tail of the lines after the truncated range', async () => {
    const { runId } = await logOf(`head\n${'#'.repeat(20)}x\ny\nz\n`, [5, 25, 16]);
    expect(await logs.readTail({ runId, stream: 'stdout' }, 2, 100, seen())).toMatchObject({
      offset: 27,
      nextOffset: 31,
      text: 'y\nz\n',
    });
    expect((await logs.readTail({ runId, stream: 'stdout' }, 9, 100, seen())).text).toBe(`${mark}x\ny\nz\n`);
  });
});

describe('the tail', () => {
  test.each([
    ['one\ntwo\nthree\n', 2, 100, 'two\nthree\n'],
    ['one\ntwo\nthree', 2, 100, 'two\nthree'],
    ['one\ntwo', 9, 100, 'one\ntwo'],
    ['\n\n\n', 2, 100, '\n\n'],
    ['', 3, 100, ''],
    ['a line without an end', 1, 7, 'an end'.padStart(7)],
    ['€€€€', 1, 8, '€€'],
  ])('of %j, %i lines of at most %i bytes', async (text, lines, limit, tail) => {
    const { runId } = await logOf(text);
    expect((await logs.readTail({ runId, stream: 'stdout' }, lines, limit, seen())).text).toBe(tail);
  });
});

test('a line of 100 MB is read in pages, and its tail is bounded', async () => {
  const { runId, path } = await logOf('');
  for (let part = 0; part < 10; part += 1) await appendFile(path, Buffer.alloc(10_000_000, 'é'));
  const page = await logs.readPage({ runId, stream: 'stdout' }, 50_000_001, 65_536, seen());
  expect([page.nextOffset, page.size, page.text.length]).toEqual([50_065_536, 100_000_000, 32_768]);
  const tail = await logs.readTail({ runId, stream: 'stdout' }, 10_000, 65_536, seen());
  expect([tail.offset, tail.nextOffset, tail.text.length]).toEqual([
    100_000_000 - 65_536,
    100_000_000,
    32_768,
  ]);
});

describe('a log that a task replaced', () => {
  test.each([
    ['nothing', async () => undefined],
    [
      'a directory',
      async (path: string) => {
        await mkdir(path);
      },
    ],
    [
      'a named pipe',
      async (path: string) => {
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'a link to a file',
      async (path: string) => {
        await symlink('/etc/hostname', path);
      },
    ],
    [
      'a link to nothing',
      async (path: string) => {
        await symlink('nowhere', path);
      },
    ],
  ])('with %s is empty and blocks no reader', async (_fact, make) => {
    const { runId, path } = await logOf('x');
    await rm(path);
    await make(path);
    for (const stream of logStreams) {
      expect(await logs.readPage({ runId, stream }, 0, 100, seen())).toEqual({
        offset: 0,
        nextOffset: 0,
        size: 0,
        text: '',
      });
      expect(await logs.readTail({ runId, stream }, 5, 100, seen())).toEqual({
        offset: 0,
        nextOffset: 0,
        size: 0,
        text: '',
      });
      expect(await logs.getSize({ runId, stream })).toBeUndefined();
    }
  });

  test('in a missing directory cannot be watched', () => {
    expect(logs.watch(999_999, () => undefined)).toBeUndefined();
  });
});
