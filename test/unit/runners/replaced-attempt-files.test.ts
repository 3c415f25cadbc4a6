/** Files of an attempt that its task replaced neither mislead nor block the runner. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Command, Exit, RunnerContext } from '../../../runners/contract.ts';
import { notebookRunner } from '../../../runners/notebook/notebook.ts';
import { pythonRunner } from '../../../runners/python/python.ts';
import { pinCommand, writeFileAtomically } from '../../../runners/process/pinned-command.ts';
import { createTemporaryDirectory, createTestContext, type TestContext } from './test-context.ts';

const failed = { kind: 'failed', message: 'Workload failed, see run output for details' };

/** Replacements of a file that a runner reads. */
const replacements: [string, (path: string) => Promise<unknown>][] = [
  ['nothing', async () => undefined],
  ['an empty object', (path) => writeFile(path, '{}')],
  ['null', (path) => writeFile(path, 'null')],
  ['a list', (path) => writeFile(path, '[1]')],
  ['half a file', (path) => writeFile(path, '{"cells": [')],
  [
    'members of other types',
    (path) => writeFile(path, '{"path": 1, "cells": {}, "argv": "x", "error": "e"}'),
  ],
  ['an empty command', (path) => writeFile(path, '{"argv": []}')],
  ['a directory', (path) => mkdir(join(path, 'deep'), { recursive: true })],
  ['a named pipe', async (path) => execFileSync('mkfifo', [path])],
  ['a link to nothing', (path) => symlink('nowhere', path)],
  [
    'a file of 300 MB',
    async (path) => {
      await writeFile(path, '');
      await truncate(path, 300 * 2 ** 20);
    },
  ],
];

describe('stderr of a program that fails', () => {
  test.each([
    ['removed', 'os.remove("stderr")'],
    ['a directory', 'os.remove("stderr"); os.mkdir("stderr")'],
    ['a named pipe', 'os.remove("stderr"); os.mkfifo("stderr")'],
    ['a link', 'os.rename("stderr", "moved"); os.symlink("moved", "stderr")'],
  ])('%s counts as empty', async (_fact, change) => {
    const context = await createTestContext();
    await writeFile(join(context.managedFs, 'main.py'), `import os\n${change}\nraise ValueError("unseen")`);
    expect(await pythonRunner.run({ python_file: 'managed_fs:/main.py' }, context)).toMatchObject(failed);
    expect(context.output()).toEqual({ error: 'The Python program ended with exit code 1.' });
  });
});

describe('the report of a notebook', () => {
  const after = async (exit: Exit, replace: (path: string) => Promise<unknown>): Promise<TestContext> => {
    const context = await createTestContext({ exec: () => Promise.resolve(exit) });
    await writeFile(join(context.workspace, 'nb.py'), '1');
    await replace(join(context.directory, 'notebook.json'));
    return context;
  };

  test.each(replacements)('replaced by %s counts as absent', async (_fact, replace) => {
    const context = await after({ kind: 'exited', code: 0 }, replace);
    expect(await notebookRunner.run({ notebook_path: '/nb' }, context)).toMatchObject(failed);
    expect(context.output()).toEqual({
      error:
        'The notebook process ended with exit code 0, and its report (notebook.json) is missing, larger than 256 MB, ' +
        'or was changed by other code.',
    });
  });

  test('that is missing is replaced by the last output', async () => {
    const context = await after({ kind: 'exited', code: 1 }, (path) =>
      writeFile(join(dirname(path), 'stderr'), 'bwrap: execvp /x/python3: No such file\n'),
    );
    expect(await notebookRunner.run({ notebook_path: '/nb' }, context)).toMatchObject(failed);
    expect(context.output()).toMatchObject({ errorTrace: 'bwrap: execvp /x/python3: No such file' });
  });

  test.each(replacements)('replaced by %s does not change the outcome of a stop', async (_fact, replace) => {
    const context = await after({ kind: 'stopped' }, replace);
    expect(await notebookRunner.run({ notebook_path: '/nb' }, context)).toEqual({ kind: 'stopped' });
    expect(context.output()).toBeUndefined();
  });

  test('of a crashed process is ignored', async () => {
    const context = await after({ kind: 'exited', code: 137 }, (path) => writeFile(path, '{}'));
    expect(await notebookRunner.run({ notebook_path: '/nb' }, context)).toMatchObject(failed);
    expect(context.output()).toEqual({
      error: 'The notebook process ended with exit code 137 (killed by signal 9, SIGKILL).',
    });
  });
});

describe('the stored command', () => {
  const command: Command = { argv: ['true', 'a'], cwd: '/', env: { A: 'b' } };
  const pin = (context: RunnerContext, given: Command): Promise<Command> =>
    pinCommand(context, () => Promise.resolve(given));

  test('is the first one that was composed', async () => {
    const context = await createTestContext();
    expect(await pin(context, command)).toEqual(command);
    expect(await pin(context, { argv: ['false'] })).toEqual(command);
  });

  test.each(replacements)('replaced by %s is composed anew, and kept', async (_fact, replace) => {
    const context = await createTestContext();
    await pin(context, { argv: ['false'] });
    await rm(join(context.directory, 'command.json'));
    await replace(join(context.directory, 'command.json'));
    expect(await pin(context, command)).toEqual(command);
    expect(await pin(context, { argv: ['false'] })).toEqual(command);
  });
});

test('concurrent atomic writes leave one complete private file and no draft', async () => {
  const directory = await createTemporaryDirectory();
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000));
  await Promise.all(texts.map((text) => writeFileAtomically(join(directory, 'f'), text)));
  expect(texts).toContain(await readFile(join(directory, 'f'), 'utf8'));
  expect(await readdir(directory)).toEqual(['f']);
  expect((await stat(join(directory, 'f'))).mode & 0o777).toBe(0o600);
});
