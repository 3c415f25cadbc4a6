/** Ownership of files when tasks run as another user. Requires root. */
import { chmod, chown, link, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grantOwnership, shareDirectory, takeOwnership } from '../../../runners/pool/directory-ownership.ts';
import type { TaskUser } from '../../../runners/process/isolation.ts';
import { createTemporaryDirectory } from './test-context.ts';

const user: TaskUser = {
  name: 'nobody',
  uid: 65_534,
  gid: 65_534,
  home: undefined,
  setprivPath: '/usr/bin/setpriv',
};
const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o7777;
const ownerOf = async (path: string): Promise<number> => (await lstat(path)).uid;

test.skipIf(process.getuid?.() !== 0)(
  'grantOwnership changes the owner of prepared files, except links and directories in use',
  async () => {
    const root = await createTemporaryDirectory();
    const [attempt, outside] = [join(root, 'attempt'), join(root, 'outside')];
    await mkdir(join(attempt, 'work', 'deep'), { recursive: true });
    await mkdir(outside);
    for (const file of [
      join(attempt, 'order.json'),
      join(attempt, 'work', 'deep', 'data'),
      join(outside, 'secret'),
      join(outside, 'other'),
    ])
      await writeFile(file, '');
    await symlink(join(outside, 'secret'), join(attempt, 'link'));
    await symlink(outside, join(attempt, 'folder'));
    await link(join(outside, 'other'), join(attempt, 'twin'));
    await grantOwnership(attempt, user);
    const given = ['', 'order.json', 'work', 'work/deep', 'work/deep/data'].map((name) =>
      join(attempt, name),
    );
    const kept = [outside, join(outside, 'secret'), join(outside, 'other'), join(attempt, 'twin')];
    expect(await Promise.all(given.map(ownerOf))).toEqual(given.map(() => user.uid));
    expect(await Promise.all(kept.map(ownerOf))).toEqual(kept.map(() => 0));
    await chown(join(attempt, 'order.json'), 0, 0);
    await writeFile(join(attempt, 'pid'), '1');
    await grantOwnership(attempt, user);
    expect(await ownerOf(join(attempt, 'order.json'))).toBe(0);
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'takeOwnership makes files of a user readable and read-only, except hard links',
  async () => {
    const root = await createTemporaryDirectory();
    const [draft, outside] = [join(root, 'draft'), join(root, 'outside')];
    await mkdir(join(draft, 'a', 'b', 'c', 'd', 'e', 'f', 'g'), { recursive: true });
    const deep = join(draft, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'program');
    for (const path of [deep, outside]) await writeFile(path, '', { mode: 0o700 });
    await link(outside, join(draft, 'twin'));
    await chmod(join(draft, 'a'), 0o777);
    await symlink(outside, join(draft, 'link'));
    for (const path of [draft, join(draft, 'a'), deep, outside]) await chown(path, user.uid, user.gid);
    await takeOwnership(draft);
    expect(await Promise.all([draft, join(draft, 'a'), deep, outside].map(ownerOf))).toEqual([
      0,
      0,
      0,
      user.uid,
    ]);
    expect(await Promise.all([join(draft, 'a'), deep, outside].map(modeOf))).toEqual([0o755, 0o555, 0o700]);
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'shareDirectory lets a user create files, but not replace files of the service',
  async () => {
    const directory = await createTemporaryDirectory();
    await shareDirectory(directory, user);
    expect([await ownerOf(directory), (await lstat(directory)).gid, await modeOf(directory)]).toEqual([
      0,
      user.gid,
      0o1770,
    ]);
  },
);
