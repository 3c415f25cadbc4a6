/** Roots in a temporary directory of their own, for tests of files. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createRoots, type Roots } from '../../../storage/files/roots.ts';

export interface TestRoots {
  readonly roots: Roots;
  /**
   * Holds `data` (the data directory), `allowed` (an allowed root) and whatever else a test puts beside them.
   */
  readonly base: string;
  /** Writes a file below `base`, with the folders above it. */
  putFile(path: string, text?: string): Promise<string>;
}

/** Creates the roots and deletes them after the test. */
export async function createTestRoots(): Promise<TestRoots> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'runyard-files-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  return {
    roots: createRoots({ dataDirectory: join(base, 'data'), allowedRoots: [join(base, 'allowed')] }),
    base,
    async putFile(path, text = path) {
      const file = join(base, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
  };
}

/** Returns the error that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => ({ resolved: value }),
    (error: unknown) => error,
  );
}
