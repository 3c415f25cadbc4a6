/** Truncation of logs over their limit: the beginning and the end are kept, and the task continues. */
import { execFileSync } from 'node:child_process';
import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog, readTruncatedRange, readLogTail } from '../../../engine/log-file.ts';
import { truncateLogs } from '../../../runners/process/log-truncation.ts';
import { exec, type ProcessSpec } from '../../../runners/process/exec.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  createSpec,
  killEngine,
  neverAborted,
  startEngine,
  waitForFile,
  waitForOutput,
} from './exec-harness.ts';
import { createTemporaryDirectory } from './test-context.ts';

const kib = 1_024;

/** Returns the bytes that a file allocates on disk, which holes make less than its size. */
const allocatedBytes = async (path: string): Promise<number> => (await stat(path)).blocks * 512;

/** Returns the kept text of a log, with `<n>` in place of n removed bytes. */
async function readKeptText(path: string): Promise<string> {
  const log = await openLog(path);
  if (log === undefined) throw new Error(`The log ${path} does not exist.`);
  const parts: Buffer[] = [];
  for (let offset = 0; ;) {
    const piece = await log.read(offset, 64 * kib);
    if (piece.kind === 'bytes' && piece.bytes.length === 0) break;
    parts.push(piece.kind === 'bytes' ? piece.bytes : Buffer.from(`<${piece.nextOffset - piece.offset}>`));
    offset = piece.kind === 'bytes' ? offset + piece.bytes.length : piece.nextOffset;
  }
  await log.close();
  return Buffer.concat(parts).toString('utf8');
}

const stdoutOf = ({ directory }: ProcessSpec): string => join(directory, 'stdout');

describe('a log over its limit', () => {
  test('keeps whole lines of its beginning and end, and the task continues', async () => {
    const spec = createSpec('i=0; while [ $i -lt 40000 ]; do echo "line $i"; i=$((i+1)); done; exit 3', {
      logBytesMax: 64 * kib,
    });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 3 });
    const text = await readKeptText(stdoutOf(spec));
    const [, head = '', removed = '', tail = ''] = /^([^<]*)<(\d+)>([^<]*)$/.exec(text) ?? [];
    expect(head.startsWith('line 0\nline 1\n')).toBe(true);
    expect(
      head
        .split('\n')
        .slice(0, -1)
        .every((line, index) => line === `line ${index}`),
    ).toBe(true);
    expect(head.length).toBeGreaterThan(24 * kib);
    expect(tail.length).toBeGreaterThan(12 * kib);
    expect(tail.endsWith('line 39998\nline 39999\n')).toBe(true);
    expect(tail).toMatch(/^line \d+\n/);
    const { size } = await stat(stdoutOf(spec));
    expect(head.length + Number(removed) + tail.length).toBe(size);
    expect(await allocatedBytes(stdoutOf(spec))).toBeLessThan(80 * kib);
    expect(await readLogTail(stdoutOf(spec), 11)).toBe('line 39999\n');
  });

  test('is truncated while the task runs', async () => {
    const spec = createSpec(
      'echo up; while [ ! -e go ]; do sleep 0.02; done; head -c 200000000 /dev/zero | tr "\\0" x; echo; ' +
        'echo over; while [ ! -e end ]; do sleep 0.02; done',
      { logBytesMax: 1024 * kib },
    );
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    await writeFile(join(spec.directory, 'work', 'go'), '');
    await eventually(() => readLogTail(stdoutOf(spec), 5), { until: (tail) => tail === 'over\n' });
    await eventually(() => allocatedBytes(stdoutOf(spec)), { until: (bytes) => bytes <= 1024 * kib });
    await writeFile(join(spec.directory, 'work', 'end'), '');
    expect(await running).toEqual({ kind: 'exited', code: 0 });
    expect((await stat(stdoutOf(spec))).size).toBe(200_000_009);
  });

  test('that was written without an engine is truncated once by the next engine', async () => {
    const spec = createSpec(
      'echo up; while [ ! -e go ]; do sleep 0.02; done; head -c 1000000 /dev/zero | tr "\\0" x',
      { logBytesMax: 64 * kib },
    );
    const engine = await startEngine(spec);
    await waitForOutput(spec, 'up');
    await killEngine(engine);
    await writeFile(join(spec.directory, 'work', 'go'), '');
    await waitForFile(spec, 'exit', (text) => text !== '');
    expect(await allocatedBytes(stdoutOf(spec))).toBeGreaterThan(900_000);
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 0 });
    expect(await allocatedBytes(stdoutOf(spec))).toBeLessThan(80 * kib);
    const truncated = await readTruncatedRange(stdoutOf(spec), 1_000_003);
    // A further call, as after another restart, removes nothing more.
    await exec(spec, neverAborted);
    expect(await readTruncatedRange(stdoutOf(spec), 1_000_003)).toEqual(truncated);
  });

  test('of stderr is truncated separately', async () => {
    const spec = createSpec('head -c 300000 /dev/zero | tr "\\0" e >&2; echo out', { logBytesMax: 64 * kib });
    await exec(spec, neverAborted);
    expect(await readKeptText(stdoutOf(spec))).toBe('out\n');
    expect(await readKeptText(join(spec.directory, 'stderr'))).toMatch(/^e+<\d+>e+$/);
  });
});

describe('a log without line breaks', () => {
  test('is truncated between characters', async () => {
    for (const shift of ['', 'a', 'ab']) {
      const directory = await createTemporaryDirectory();
      await writeFile(join(directory, 'stdout'), shift + '€'.repeat(100_000));
      await truncateLogs(directory, 64 * kib);
      expect((await readKeptText(join(directory, 'stdout'))).replace(/<\d+>/, '').replaceAll('€', '')).toBe(
        shift,
      );
    }
  });
});

describe('a log that the task replaced', () => {
  test.each([
    ['by a symbolic link to another file', async (path: string, other: string) => symlink(other, path)],
    [
      'by a hard link to another file',
      async (path: string, other: string) => {
        execFileSync('ln', [other, path]);
      },
    ],
    [
      'by a named pipe',
      async (path: string) => {
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'by a directory',
      async (path: string) => {
        execFileSync('mkdir', [path]);
      },
    ],
  ])('%s is not changed', async (_fact, replace) => {
    const directory = await createTemporaryDirectory();
    const other = join(directory, 'other');
    await writeFile(other, 'x'.repeat(200_000));
    await replace(join(directory, 'stdout'), other);
    expect((await truncateLogs(directory, 10_000, true)).truncationError).toBeUndefined();
    expect(await readFile(other, 'utf8')).toBe('x'.repeat(200_000));
  });

  test.each(['', 'x', '5 3 1\n', '0 999999999 5\n', '-1 5 5\n', '1 2 3 4\n'])(
    'with an invalid list of removed ranges (%j) is read as complete',
    async (text) => {
      const directory = await createTemporaryDirectory();
      await writeFile(join(directory, 'stdout'), 'all of it');
      await writeFile(join(directory, 'stdout.cut'), text);
      expect(await readKeptText(join(directory, 'stdout'))).toBe('all of it');
    },
  );
});

describe('a log on a machine without fallocate', () => {
  test('fails the task with the reason, and keeps its beginning', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    try {
      const spec = createSpec('while :; do echo 0123456789012345678901234567890123456789; done', {
        logBytesMax: 10_000,
        argv: ['/bin/sh', '-c', 'while :; do echo 0123456789; done'],
      });
      const exit = await exec(spec, neverAborted);
      expect(exit).toMatchObject({
        kind: 'flooded',
        message: expect.stringMatching(
          /^The task wrote \d+ bytes to a log limited to 10000 bytes \(RUNYARD_LOG_BYTES_MAX\), and the log could not be truncated: the program fallocate \(util-linux\) is missing/,
        ),
      });
      const text = await readFile(stdoutOf(spec), 'utf8');
      expect(text.slice(10_000)).toBe(
        '\n[runyard: the rest was truncated; RUNYARD_LOG_BYTES_MAX is 10000 bytes]\n',
      );
    } finally {
      process.env['PATH'] = path;
    }
  });
});
