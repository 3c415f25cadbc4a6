/** Revisions of notebooks: retention, lookup by time, and deletion. */
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorkspaceStore } from '../../../engine/ports/files.ts';
import { createPathResolver } from '../../../storage/files/path-resolver.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import { rejectionOf, createTestRoots, type TestRoots } from './test-roots.ts';
import { fixedLimits } from '../../../engine/limits.ts';

interface World extends Omit<TestRoots, 'put'> {
  readonly workspace: WorkspaceStore;
  /**
   * Imports a notebook as if it were done at that instant (epoch ms): a file says itself when it was changed.
   */
  put(path: string, text: string, at: number, language?: 'PYTHON' | 'SQL'): Promise<void>;
  /** The text that a task with this revision_timestamp runs. */
  at(path: string, instant: number): Promise<string>;
}

async function world(): Promise<World> {
  const tools = await createTestRoots();
  const workspace = createWorkspaceStore(tools.roots, { requestBytes: 1_000 });
  const locate = createPathResolver(tools.roots);
  return {
    ...tools,
    workspace,
    async put(path, text, at, language = 'PYTHON') {
      await workspace.import({
        path,
        content: Buffer.from(text),
        format: 'SOURCE',
        language,
        overwrite: true,
      });
      // The revision that carries the time of the test itself is newer than every instant asked for here.
      const file = join(tools.base, 'data/workspace', `${path}${language === 'SQL' ? '.sql' : '.py'}`);
      await utimes(file, at / 1_000, at / 1_000);
    },
    async at(path, instant) {
      const text = await readFile(await locate(path, { notebook: true, at: instant }), 'utf8');
      return text.split('\n').at(-1) ?? '';
    },
  };
}

test('the lookup returns the newest revision not later than the timestamp, also after a change of language', async () => {
  const { put, at } = await world();
  await put('/a/nb', 'one', 1_000);
  await put('/a/nb', 'two', 2_000);
  await put('/a/nb', 'select 3', 3_000, 'SQL');
  expect([
    await at('/a/nb', 1_000),
    await at('/a/nb', 1_999),
    await at('/Workspace/a/nb', 2_000),
    await at('/a/nb', 3_000),
  ]).toEqual(['one', 'one', 'two', 'select 3']);
});

test('a timestamp before the first revision and a missing notebook are refused with the path', async () => {
  const { put, at } = await world();
  await put('/a/nb', 'one', 5_000);
  expect(await rejectionOf(at('/a/nb', 4_999))).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
    message:
      'Notebook /a/nb has no revision of 4999 or before; the oldest that is kept is of 5000 (revision_timestamp, epoch ms).',
  });
  expect(await rejectionOf(at('/a/gone', 1))).toMatchObject({
    message: 'Notebook /a/gone was not found in the workspace, and no revision of it is kept.',
  });
  expect(await rejectionOf(at('/../x', 1))).toMatchObject({ code: 'INVALID_PARAMETER_VALUE' });
});

test('a notebook edited outside the service becomes a revision when it is replaced', async () => {
  const { put, at, base } = await world();
  await put('/nb', 'imported', 1_000);
  const file = join(base, 'data/workspace/nb.py');
  await writeFile(file, 'edited');
  await utimes(file, 2, 2);
  await put('/nb', 'imported again', 3_000);
  expect([await at('/nb', 2_500), await at('/nb', 3_000)]).toEqual(['edited', 'imported again']);
});

test('delete of a notebook or folder deletes its revisions only', async () => {
  const { put, at, workspace, base } = await world();
  for (const path of ['/f/a', '/f/b', '/g/c']) for (const time of [1_000, 2_000]) await put(path, path, time);
  await workspace.delete('/f/a', false);
  expect(await rejectionOf(at('/f/a', 9_000))).toMatchObject({
    message: expect.stringContaining('no revision of it is kept'),
  });
  expect(await at('/f/b', 1_000)).toBe('/f/b');
  await workspace.delete('/f', true);
  expect(await readdir(join(base, 'data/revisions'))).toEqual(['g']);
});

test('only the newest revisions are kept', async () => {
  const { put, at, base } = await world();
  const folder = join(base, 'data/revisions/.revisions/nb.py');
  await mkdir(folder, { recursive: true });
  for (let time = 1; time <= fixedLimits.revisionsPerNotebook + 5; time += 1)
    await writeFile(join(folder, `${time}.py`), `v${time}`);
  await put('/nb', 'now', 1_000_000);
  expect((await readdir(folder)).length).toBe(fixedLimits.revisionsPerNotebook);
  expect([await at('/nb', 7), await at('/nb', 8)]).toEqual(['v7', 'v8']);
  expect(await rejectionOf(at('/nb', 6))).toMatchObject({
    message: expect.stringContaining('the oldest that is kept is of 7'),
  });
});
