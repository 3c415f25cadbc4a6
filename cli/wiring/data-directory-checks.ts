/**
 * Keeps the files of one database from being taken for those of another: run ids begin anew in every
 * database.
 */
import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { isAlive } from '../../engine/process-identity.ts';
import type { NodeIdentity, NodeLoad } from '../../engine/ports/nodes.ts';

/**
 * Binds a data directory to the database that it is used with, the first time; later it must be the same one.
 * @throws Error whose message says in one line what to do
 */
export async function bindDataDirectory(
  dataDirectory: string,
  database: { readonly id: string; readonly hasRuns: boolean },
): Promise<void> {
  const file = join(dataDirectory, 'installation');
  const bound = await readOrDefault(readFile(file, 'utf8'), '');
  const attempts = await readOrDefault(readdir(join(dataDirectory, 'runs')), []);
  const foreign = bound === '' ? attempts.length > 0 && !database.hasRuns : bound.trim() !== database.id;
  if (foreign) {
    throw new Error(
      `The data directory ${dataDirectory} holds runs of another database, which would be taken for runs of this one: ` +
        'use the database that it belongs to, another RUNYARD_DATA_DIR, or move its "runs", "clusters" and "installation" away.',
    );
  }
  if (bound === '') await writeFile(file, `${database.id}\n`, { mode: 0o600, flush: true });
}

/**
 * The id of a data directory, made when it is asked for first. Several engines may ask at once: they get the
 * same.
 */
export async function ensureDirectoryId(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, 'directory-id');
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link leaves alone what is there.
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

/**
 * Refuses to join engines that keep their files elsewhere: each would take attempts of the other for lost
 * ones.
 * @throws Error whose message says in one line what to do
 */
export async function assertSharedDataDirectory(
  own: NodeIdentity,
  nodes: readonly NodeLoad[],
): Promise<void> {
  const others = nodes.filter((node) => node.alive && node.directoryId !== own.directoryId);
  const living = await Promise.all(
    others.map(
      (node) =>
        node.host !== own.host ||
        isAlive({ pid: node.pid, startTime: node.processStart, bootId: node.bootId }),
    ),
  );
  const other = others.find((_node, index) => living[index]);
  if (other === undefined) return;
  throw new Error(
    `Another engine (host ${other.host}, pid ${other.pid}) uses this database with another data directory. ` +
      'Engines that share a database must share RUNYARD_DATA_DIR, too; if that engine is gone, try again when its lease has ended.',
  );
}

async function readOrDefault<Value>(reading: Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise;
    throw error;
  }
}
