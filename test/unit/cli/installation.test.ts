/** Tests of the binding between a data directory and its database. */
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

const foreignDirectory = /holds runs of another database.*another RUNYARD_DATA_DIR/;

test('a new directory is bound to its database and accepted at later starts', async () => {
  await bindDataDirectory(directory, { id: 'a', hasRuns: false });
  expect(await readFile(join(directory, 'installation'), 'utf8')).toBe('a\n');
  await bindDataDirectory(directory, { id: 'a', hasRuns: true });
});

test('another database is rejected and the binding stays', async () => {
  await bindDataDirectory(directory, { id: 'a', hasRuns: false });
  await expect(bindDataDirectory(directory, { id: 'b', hasRuns: false })).rejects.toThrow(foreignDirectory);
  expect(await readFile(join(directory, 'installation'), 'utf8')).toBe('a\n');
});

test('an unbound directory with runs is rejected by a database without runs', async () => {
  await mkdir(join(directory, 'runs', '2'), { recursive: true });
  await expect(bindDataDirectory(directory, { id: 'new', hasRuns: false })).rejects.toThrow(foreignDirectory);
  await bindDataDirectory(directory, { id: 'old', hasRuns: true });
});
