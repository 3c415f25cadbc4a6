/** Reading files that somebody else may have replaced by anything. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLogTail } from '../../../engine/log-file.ts';
import { tryParseJson, openRegularFile, readRange, readHead } from '../../../engine/read-file.ts';

const isRoot = process.getuid?.() === 0;

/** The path of a file that is not there yet; its directory is gone when the test is over. */
async function freshPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-read-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'f');
}

describe('what is no file to read is empty, and holds nobody up', () => {
  const cases: [string, (path: string) => Promise<unknown>][] = [
    ['nothing', async () => undefined],
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
    const asked = name === 'a path through a file' ? `${path.slice(0, -'/f'.length)}/d/f` : path;
    expect(await openRegularFile(asked)).toBeUndefined();
    expect(await readHead(asked, 100)).toEqual({ text: '', bytes: 0, more: false });
    expect(await readLogTail(asked, 100)).toBe('');
  });

  test.skipIf(isRoot)('a file without permissions', async () => {
    const path = await freshPath();
    await writeFile(path, 'secret');
    await chmod(path, 0);
    expect(await readHead(path, 100)).toEqual({ text: '', bytes: 0, more: false });
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
  'of "aéb" at most %i bytes are "%s" from its beginning, and from its end',
  async (most, text, more, end) => {
    const path = await freshPath();
    await writeFile(path, 'aéb');
    expect(await readHead(path, most)).toMatchObject({ text, more });
    expect(await readLogTail(path, most)).toBe(end);
  },
);

test('bytes beyond the end are not there', async () => {
  const path = await freshPath();
  await writeFile(path, 'hello');
  const file = await openRegularFile(path);
  if (file === undefined) throw new Error('The file was not opened.');
  onTestFinished(() => file.close());
  expect((await readRange(file, 3, 100)).toString()).toBe('lo');
  expect((await readRange(file, 9, 100)).toString()).toBe('');
});

test('what is no JSON has no value', () => {
  expect(tryParseJson('{"a":1}')).toEqual({ a: 1 });
  expect(tryParseJson('{"a"')).toBeUndefined();
});
