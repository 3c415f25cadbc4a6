/**
 * Logs that outgrow their cap: the first and the last part are kept, the task goes on, and the disk does not
 * fill.
 */
import { execFileSync } from 'node:child_process';
import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog, readTruncatedRange, readLogTail } from '../../../engine/log-file.ts';
import { truncateLogs } from '../../../runners/process/log-truncation.ts';
import { exec, type ProcessSpec } from '../../../runners/process/exec.ts';
import { killEngine, neverAborted, waitForOutput, createSpec, startEngine, pause } from './exec-harness.ts';
import { createTemporaryDirectory } from './test-context.ts';

const kib = 1_024;

/** Bytes that a file takes on the disk, whatever its length. */
const onDisk = async (path: string): Promise<number> => (await stat(path)).blocks * 512;

/** Everything that is kept of a log, with `<n>` where n bytes were left out. */
async function kept(path: string): Promise<string> {
  const log = await openLog(path);
  if (log === undefined) throw new Error(`There is no log at ${path}.`);
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

describe('a task that writes too much', () => {
  test('goes on to its own end, and the beginning and the end of what it wrote are kept, in whole lines', async () => {
    const spec = createSpec('i=0; while [ $i -lt 40000 ]; do echo "line $i"; i=$((i+1)); done; exit 3', {
      logBytesMax: 64 * kib,
    });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 3 });
    const text = await kept(stdoutOf(spec));
    const [, head = '', left = '', tail = ''] = /^([^<]*)<(\d+)>([^<]*)$/.exec(text) ?? [];
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
    expect(head.length + Number(left) + tail.length).toBe(size);
    expect(await onDisk(stdoutOf(spec))).toBeLessThan(80 * kib);
    expect(await readLogTail(stdoutOf(spec), 11)).toBe('line 39999\n');
  });

  test('takes little more of the disk than the cap at any time, whatever it writes', async () => {
    const spec = createSpec(
      'echo up; while [ ! -e go ]; do sleep 0.02; done; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo over; while [ ! -e end ]; do sleep 0.02; done',
      { logBytesMax: 1024 * kib },
    );
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    await writeFile(join(spec.directory, 'work', 'go'), '');
    while ((await readLogTail(stdoutOf(spec), 5)) !== 'over\n') await pause();
    while ((await onDisk(stdoutOf(spec))) > 1024 * kib) await pause();
    await writeFile(join(spec.directory, 'work', 'end'), '');
    expect(await running).toEqual({ kind: 'exited', code: 0 });
    expect((await stat(stdoutOf(spec))).size).toBe(200_000_009);
  });

  test('while no engine was there is cut by the next one, and once its end was not seen as well', async () => {
    const spec = createSpec(
      'echo up; while [ ! -e go ]; do sleep 0.02; done; head -c 1000000 /dev/zero | tr "\\0" x',
      { logBytesMax: 64 * kib },
    );
    const engine = await startEngine(spec);
    await waitForOutput(spec, 'up');
    await killEngine(engine);
    await writeFile(join(spec.directory, 'work', 'go'), '');
    while ((await readFile(join(spec.directory, 'exit'), 'utf8').catch(() => '')) === '') await pause();
    expect(await onDisk(stdoutOf(spec))).toBeGreaterThan(900_000);
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 0 });
    expect(await onDisk(stdoutOf(spec))).toBeLessThan(80 * kib);
    const once = await readTruncatedRange(stdoutOf(spec), 1_000_003);
    // Asked again, as after another restart: nothing more is taken away.
    await exec(spec, neverAborted);
    expect(await readTruncatedRange(stdoutOf(spec), 1_000_003)).toEqual(once);
  });

  test('its stderr is capped for itself', async () => {
    const spec = createSpec('head -c 300000 /dev/zero | tr "\\0" e >&2; echo out', { logBytesMax: 64 * kib });
    await exec(spec, neverAborted);
    expect(await kept(stdoutOf(spec))).toBe('out\n');
    expect(await kept(join(spec.directory, 'stderr'))).toMatch(/^e+<\d+>e+$/);
  });
});

describe('a border without a line near', () => {
  test('splits no character', async () => {
    for (const shift of ['', 'a', 'ab']) {
      const directory = await createTemporaryDirectory();
      await writeFile(join(directory, 'stdout'), shift + '€'.repeat(100_000));
      await truncateLogs(directory, 64 * kib);
      expect((await kept(join(directory, 'stdout'))).replace(/<\d+>/, '').replaceAll('€', '')).toBe(shift);
    }
  });
});

describe('a log that the task has replaced', () => {
  test.each([
    ['a link to a file of somebody else', async (path: string, other: string) => symlink(other, path)],
    [
      'another name of such a file',
      async (path: string, other: string) => {
        execFileSync('ln', [other, path]);
      },
    ],
    [
      'a named pipe',
      async (path: string) => {
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'a directory',
      async (path: string) => {
        execFileSync('mkdir', [path]);
      },
    ],
  ])('%s is left alone', async (_fact, replace) => {
    const directory = await createTemporaryDirectory();
    const other = join(directory, 'other');
    await writeFile(other, 'x'.repeat(200_000));
    await replace(join(directory, 'stdout'), other);
    expect((await truncateLogs(directory, 10_000, true)).truncationError).toBeUndefined();
    expect(await readFile(other, 'utf8')).toBe('x'.repeat(200_000));
  });

  test.each(['', 'x', '5 3 1\n', '0 999999999 5\n', '-1 5 5\n', '1 2 3 4\n'])(
    'what was left out is nothing when the file says %j',
    async (text) => {
      const directory = await createTemporaryDirectory();
      await writeFile(join(directory, 'stdout'), 'all of it');
      await writeFile(join(directory, 'stdout.cut'), text);
      expect(await kept(join(directory, 'stdout'))).toBe('all of it');
    },
  );
});

describe('where no hole can be made', () => {
  test('the task is stopped with the reason, and the beginning alone is kept', async () => {
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
