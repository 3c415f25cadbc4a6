/** A data directory belongs to one database: the files of a run are never taken for those of another. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bindDataDirectory } from '../../../cli/wiring/data-directory-checks.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-installation-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const refusal = /holds runs of another database.*another RUNYARD_DATA_DIR/;

test('a new directory is bound to its database, and accepted by it from then on', async () => {
  await bindDataDirectory(directory, { id: 'a', hasRuns: false });
  expect(await readFile(join(directory, 'installation'), 'utf8')).toBe('a\n');
  await bindDataDirectory(directory, { id: 'a', hasRuns: true });
});

test('another database is refused, and the directory stays bound', async () => {
  await bindDataDirectory(directory, { id: 'a', hasRuns: false });
  await expect(bindDataDirectory(directory, { id: 'b', hasRuns: false })).rejects.toThrow(refusal);
  expect(await readFile(join(directory, 'installation'), 'utf8')).toBe('a\n');
});

test('runs in a directory that is bound to nothing are not those of a database without runs', async () => {
  await mkdir(join(directory, 'runs', '2'), { recursive: true });
  await expect(bindDataDirectory(directory, { id: 'new', hasRuns: false })).rejects.toThrow(refusal);
  await bindDataDirectory(directory, { id: 'old', hasRuns: true });
});
