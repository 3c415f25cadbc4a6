/** Binds data directories to databases: run ids start over in every database, so files must not mix. */
import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { isAlive } from '../../engine/process-identity.ts';
import type { NodeIdentity, NodeLoad } from '../../engine/ports/nodes.ts';

/**
 * Binds a data directory to its database at the first start; later starts must use the same database.
 * @throws Error with a one-line message that says what to do
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
      `The data directory ${dataDirectory} holds runs of another database. ` +
        'Use that database or another RUNYARD_DATA_DIR, or move the entries "runs", "clusters" and "installation" away.',
    );
  }
  if (bound === '') await writeFile(file, `${database.id}\n`, { mode: 0o600, flush: true });
}

/** Returns the id of a data directory; the first call creates it. Concurrent engines get the same id. */
export async function ensureDirectoryId(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, 'directory-id');
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flush: true });
  try {
    // Unlike rename, link never replaces an existing file.
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

/**
 * Rejects a start beside engines with another data directory: each would treat the attempts of the other as
 * lost.
 * @throws Error with a one-line message that says what to do
 */
export async function assertSharedDataDirectory(
  own: NodeIdentity,
  nodes: readonly NodeLoad[],
): Promise<void> {
  const others = nodes.filter((node) => node.alive && node.directoryId !== own.directoryId);
  const live = await Promise.all(
    others.map(
      (node) =>
        node.host !== own.host ||
        isAlive({ pid: node.pid, startTime: node.processStart, bootId: node.bootId }),
    ),
  );
  const other = others.find((_node, index) => live[index]);
  if (other === undefined) return;
  throw new Error(
    `Another engine (host ${other.host}, pid ${other.pid}) uses this database with another data directory. ` +
      'Engines that share a database must share RUNYARD_DATA_DIR too. If that engine has stopped, try again after its lease has expired.',
  );
}

async function readOrDefault<Value>(reading: Promise<Value>, defaultValue: Value): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return defaultValue;
    throw error;
  }
}
