/**
 * Interpreters: found on the PATH of the task, and asked without anything of the service in their
 * environment.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findInterpreter } from '../../../runners/process/task-environment.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-interpreter-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('a python3 that a job brings sees the environment of its task and nothing else', async () => {
  const program = join(directory, 'python3');
  await writeFile(program, '#!/bin/sh\nenv > "${0%/*}/seen"\necho "$0"\n');
  await chmod(program, 0o755);
  const environment = { PATH: `${directory}:/usr/bin:/bin`, OWN: 'task' };
  expect(await findInterpreter('python3', environment)).toBe(program);
  const seen = (await readFile(join(directory, 'seen'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(seen.filter((name) => !['_', 'PWD', 'OLDPWD', 'SHLVL'].includes(name ?? '')).toSorted()).toEqual([
    'OWN',
    'PATH',
  ]);
});

test('a program that is nowhere on the PATH is not found', async () => {
  expect(await findInterpreter('python3', { PATH: '/nonexistent' })).toBeUndefined();
  expect(await findInterpreter('java', {})).toBeUndefined();
});
