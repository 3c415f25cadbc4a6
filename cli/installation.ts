/** Keeps the files of one database from being taken for those of another: run ids begin anew in every database. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../engine/errors.ts';

/**
 * Binds a data directory to the database that it is used with, the first time; later it must be the same one.
 * @throws Error whose message says in one line what to do
 */
export async function checkInstallation(dataDirectory: string, database: { readonly id: string; readonly hasRuns: boolean }): Promise<void> {
  const file = join(dataDirectory, 'installation');
  const bound = await orMissing(readFile(file, 'utf8'), '');
  const attempts = await orMissing(readdir(join(dataDirectory, 'runs')), []);
  const foreign = bound === '' ? attempts.length > 0 && !database.hasRuns : bound.trim() !== database.id;
  if (foreign) {
    throw new Error(`The data directory ${dataDirectory} holds runs of another database, which would be taken for runs of this one: `
      + 'use the database that it belongs to, another RUNYARD_DATA_DIR, or move its "runs", "clusters" and "installation" away.');
  }
  if (bound === '') await writeFile(file, `${database.id}\n`, { mode: 0o600, flush: true });
}

async function orMissing<Value>(reading: Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise;
    throw error;
  }
}
