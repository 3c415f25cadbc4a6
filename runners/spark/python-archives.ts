/** Python libraries for executors on other machines: archives that Spark copies and unpacks there. */
import { randomUUID } from 'node:crypto';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import { statIfExists } from '../../engine/read-file.ts';
import { cacheKeyOf } from '../libraries/library-cache.ts';

/** Import directories as Spark distributes them. */
export interface PythonArchives {
  /** Values of `spark.archives`: file and name of the directory at the executor. */
  readonly archives: readonly string[];
  /** Values of `spark.submit.pyFiles`: eggs and other files. */
  readonly files: readonly string[];
  /** Entries of PYTHONPATH at the executor. */
  readonly pythonPath: readonly string[];
}

/**
 * Packs import directories, once for each.
 * @param directory directory of the archives
 */
export async function packPythonPath(
  pythonPath: readonly string[],
  directory: string,
): Promise<PythonArchives> {
  const archives: string[] = [];
  const files: string[] = [];
  const names: string[] = [];
  for (const entry of pythonPath) {
    if (!(await stat(entry)).isDirectory()) {
      files.push(`file://${entry}`);
      continue;
    }
    const name = `runyard-python-${cacheKeyOf(entry).slice(0, 12)}`;
    const archive = join(directory, `${name}.tar.gz`);
    if ((await statIfExists(archive)) === undefined) await pack(entry, archive);
    archives.push(`file://${archive}#${name}`);
    names.push(`./${name}`);
  }
  return { archives, files, pythonPath: names };
}

/** Concurrent calls write the same content. */
async function pack(source: string, archive: string): Promise<void> {
  const draft = `${archive}.${randomUUID()}`;
  await create({ gzip: true, file: draft, cwd: source, portable: true }, ['.']);
  await rename(draft, archive);
}
