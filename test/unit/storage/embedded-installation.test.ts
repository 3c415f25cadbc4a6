/**
 * Embedded PostgreSQL below closed directories, with missing library links, and for other users than root.
 */
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreLinks } from '../../../storage/embedded/binaries.ts';
import { commandSucceeds } from '../../../storage/embedded/command.ts';
import {
  canRunUnprivileged,
  createEmbeddedHarness,
  createKeptTable,
  type EmbeddedHarness,
  isRoot,
  keptRows,
  native,
  query,
  readKeptTable,
  unprivilegedUser,
} from './embedded-harness.ts';

let harness: EmbeddedHarness;
beforeEach(async () => {
  harness = await createEmbeddedHarness();
});
afterEach(() => harness.close());

/** Copies the programs of the package without the links that its install script adds. */
async function copyWithoutLinks(target: string): Promise<void> {
  await cp(native, target, { recursive: true, verbatimSymlinks: true });
  for (const name of await readdir(join(target, 'lib'))) {
    const path = join(target, 'lib', name);
    if ((await lstat(path)).isSymbolicLink()) await rm(path);
  }
}

test.skipIf(process.platform !== 'linux')('missing library links are restored', async () => {
  const copy = join(harness.scratch, 'native');
  await copyWithoutLinks(copy);
  const postgres = join(copy, 'bin', 'postgres');
  expect(await commandSucceeds(undefined, postgres, '--version')).toBe(false);
  await restoreLinks(copy);
  expect(await commandSucceeds(undefined, postgres, '--version')).toBe(true);
});

test.runIf(isRoot)(
  'a start by root below a directory that only root may enter keeps the data elsewhere, also after a killed first start',
  async () => {
    const closed = join(harness.scratch, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await copyWithoutLinks(join(closed, 'native'));
    const [directory, options] = [join(closed, 'postgres'), { binaryDirectory: join(closed, 'native') }];
    // The state after a killed first start, which has chosen the place and begun to fill it.
    const base = await mkdtemp(join(tmpdir(), 'runyard-stand-in-'));
    await chmod(base, 0o711);
    await mkdir(join(base, 'data.new', 'base'), { recursive: true });
    await mkdir(directory);
    await writeFile(join(directory, 'location.new'), base);
    try {
      const first = await harness.start(directory, options);
      expect(await readFile(join(directory, 'location'), 'utf8')).toBe(base);
      await createKeptTable(first.connection);
      await first.stop();
      const next = await harness.start(directory, options);
      expect(await readKeptTable(next.connection)).toEqual(keptRows);
      expect((await readdir(base)).filter((name) => name.startsWith('native'))).toHaveLength(1);
      await next.stop();
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  },
);

test.runIf(isRoot)(
  'a start by root below a closed directory that was deleted and created again gets an empty database',
  async () => {
    const closed = join(harness.scratch, 'closed');
    const bases = [];
    for (const attempt of [1, 2]) {
      await mkdir(closed, { mode: 0o700 });
      const server = await harness.start(join(closed, 'postgres'));
      bases.push((await readFile(join(closed, 'postgres', 'location'), 'utf8')).trim());
      await query(server.connection, `create table attempt_${attempt} ()`);
      expect(
        await query(server.connection, `select tablename from pg_tables where schemaname = 'public'`),
      ).toEqual([{ tablename: `attempt_${attempt}` }]);
      await server.stop();
      await rm(closed, { recursive: true });
    }
    for (const base of bases) await rm(base, { recursive: true });
  },
);

test.runIf(canRunUnprivileged)('root serves data that another user created', async () => {
  const directory = join(harness.scratch, 'postgres');
  await mkdir(directory);
  await chown(directory, unprivilegedUser.uid, unprivilegedUser.gid);
  const { engine, answer } = await harness.startEngine(directory, 'main', unprivilegedUser);
  const { connection } = answer as { connection: ClientConfig }; // the other process is ours
  await createKeptTable(connection);
  expect((await stat(join(directory, 'data'))).uid).toBe(unprivilegedUser.uid);
  engine.kill('SIGKILL');
  await once(engine, 'close');
  expect(await readKeptTable((await harness.start(directory)).connection)).toEqual(keptRows);
});
