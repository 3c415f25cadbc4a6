/** What changes hands when a task runs as another user, and what does not. Needs root. */
import { chown, link, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handOver } from '../../runners/hand-over.ts';
import type { TaskUser } from '../../runners/isolation.ts';
import { temporaryDirectory } from './context.ts';

const user: TaskUser = { name: 'nobody', uid: 65_534, gid: 65_534, home: undefined, setpriv: '/usr/bin/setpriv' };
const ownerOf = async (path: string): Promise<number> => (await lstat(path)).uid;

test.skipIf(process.getuid?.() !== 0)('what a runner has prepared changes hands; links, what has other names, and a directory that is in use do not', async () => {
  const root = await temporaryDirectory();
  const [attempt, outside] = [join(root, 'attempt'), join(root, 'outside')];
  await mkdir(join(attempt, 'work', 'deep'), { recursive: true });
  await mkdir(outside);
  for (const file of [join(attempt, 'order.json'), join(attempt, 'work', 'deep', 'data'), join(outside, 'secret'), join(outside, 'other')]) await writeFile(file, '');
  await symlink(join(outside, 'secret'), join(attempt, 'link'));
  await symlink(outside, join(attempt, 'folder'));
  await link(join(outside, 'other'), join(attempt, 'twin'));
  await handOver(attempt, user);
  const given = ['', 'order.json', 'work', 'work/deep', 'work/deep/data'].map((name) => join(attempt, name));
  const kept = [outside, join(outside, 'secret'), join(outside, 'other'), join(attempt, 'twin')];
  expect(await Promise.all(given.map(ownerOf))).toEqual(given.map(() => user.uid));
  expect(await Promise.all(kept.map(ownerOf))).toEqual(kept.map(() => 0));
  await chown(join(attempt, 'order.json'), 0, 0);
  await writeFile(join(attempt, 'pid'), '1');
  await handOver(attempt, user);
  expect(await ownerOf(join(attempt, 'order.json'))).toBe(0);
});
