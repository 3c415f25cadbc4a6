/** Reading files that another process may have replaced. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLogTail } from '../../../engine/log-file.ts';
import { tryParseJson, openRegularFile, readRange, readHead } from '../../../engine/read-file.ts';

const isRoot = process.getuid?.() === 0;

/** Returns the path of a file that does not exist, in a directory that is removed after the test. */
async function freshPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-read-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'f');
}

describe('anything but a readable regular file reads as empty without blocking', () => {
  const cases: [string, (path: string) => Promise<unknown>][] = [
    ['a missing file', async () => undefined],
    ['a path through a file', (path) => writeFile(path.slice(0, -'/f'.length) + '/d', 'secret')],
    ['a directory', (path) => mkdir(path)],
    ['a named pipe', async (path) => execFileSync('mkfifo', [path])],
    [
      'a link to a file',
      async (path) => {
        await writeFile(`${path}.secret`, 'secret');
        await symlink(`${path}.secret`, path);
      },
    ],
    ['a link to itself', (path) => symlink(path, path)],
    [
      'a socket',
      async (path) => {
        const server = createServer();
        await new Promise<void>((resolve) => {
          server.listen(path, resolve);
        });
        onTestFinished(
          () =>
            new Promise<void>((resolve) => {
              server.close(() => resolve());
            }),
        );
      },
    ],
  ];
  test.each(cases)('%s', async (name, make) => {
    const path = await freshPath();
    await make(path);
    const target = name === 'a path through a file' ? `${path.slice(0, -'/f'.length)}/d/f` : path;
    expect(await openRegularFile(target)).toBeUndefined();
    expect(await readHead(target, 100)).toEqual({ text: '', bytes: 0, truncated: false });
    expect(await readLogTail(target, 100)).toBe('');
  });

  test.skipIf(isRoot)('a file without permissions', async () => {
    const path = await freshPath();
    await writeFile(path, 'secret');
    await chmod(path, 0);
    expect(await readHead(path, 100)).toEqual({ text: '', bytes: 0, truncated: false });
    expect(await readLogTail(path, 100)).toBe('');
  });
});

test.each<[number, string, boolean, string]>([
  [100, 'aéb', false, 'aéb'],
  [4, 'aéb', false, 'aéb'],
  [3, 'aé', true, 'éb'],
  [2, 'a', true, '\uFFFDb'],
  [0, '', true, ''],
])(
  'the first %i bytes of "aéb" are "%s" (truncated: %s) and the last are "%s"',
  async (maxBytes, text, truncated, tail) => {
    const path = await freshPath();
    await writeFile(path, 'aéb');
    expect(await readHead(path, maxBytes)).toMatchObject({ text, truncated });
    expect(await readLogTail(path, maxBytes)).toBe(tail);
  },
);

test('a range beyond the end of the file is empty', async () => {
  const path = await freshPath();
  await writeFile(path, 'hello');
  const file = await openRegularFile(path);
  if (file === undefined) throw new Error('The file was not opened.');
  onTestFinished(() => file.close());
  expect((await readRange(file, 3, 100)).toString()).toBe('lo');
  expect((await readRange(file, 9, 100)).toString()).toBe('');
});

test('tryParseJson of invalid JSON returns undefined', () => {
  expect(tryParseJson('{"a":1}')).toEqual({ a: 1 });
  expect(tryParseJson('{"a"')).toBeUndefined();
});
