/**
 * Builds the console before the first test when a source is newer than what is built: tests must see what
 * they test.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Vitest calls this once before the first test file. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../../console/build.mjs', import.meta.url)),
    '--if-stale',
  ]);
}
