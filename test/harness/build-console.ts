/** Builds the console before the first test when a source is newer than the build. */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** Runs once before the first test file (Vitest global setup). */
export async function setup(): Promise<void> {
  const build = fileURLToPath(new URL('../../console/build.mjs', import.meta.url));
  await execa(process.execPath, [build, '--if-stale']);
}
