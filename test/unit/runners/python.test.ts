/** Python tasks, with the machine's own python3. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Exit, RunnerContext } from '../../../runners/contract.ts';
import { pythonRunner } from '../../../runners/python/python.ts';
import { findUncaughtException } from '../../../runners/python/traceback.ts';
import { createTestContext, type TestContext } from './test-context.ts';

const failed = { kind: 'failed', message: 'Workload failed, see run output for details' };

/** A context that holds `source` as managed_fs:/main.py. */
async function withProgram(source: string, changes: Partial<RunnerContext> = {}): Promise<TestContext> {
  const context = await createTestContext(changes);
  await writeFile(join(context.managedFs, 'main.py'), source);
  return context;
}

const task = { python_file: 'managed_fs:/main.py' };

test('the program receives its parameters unchanged as arguments', async () => {
  const context = await withProgram('import sys\nprint(sys.argv[1:])');
  expect(await pythonRunner.run({ ...task, parameters: ['a b', '--x=$HOME', ''] }, context)).toEqual({
    kind: 'succeeded',
  });
  expect(await context.stdout()).toBe("['a b', '--x=$HOME', '']\n");
  expect(context.output()).toBeUndefined();
});

test('modules beside the program can be imported from any working directory', async () => {
  const context = await withProgram('import os, sys, beside\nprint(beside.word, os.getcwd() == sys.path[0])');
  await writeFile(join(context.managedFs, 'beside.py'), 'word = "beside"');
  expect(await pythonRunner.run(task, context)).toEqual({ kind: 'succeeded' });
  expect(await context.stdout()).toBe('beside False\n');
});

describe('the error of a failed program', () => {
  test.each<[string, string, string]>([
    ['an uncaught exception', '1 / 0', 'ZeroDivisionError: division by zero'],
    ['a file that is no Python', 'def f(:', 'SyntaxError: invalid syntax'],
    ['an exit code', 'import sys\nsys.exit(3)', 'The Python program ended with exit code 3.'],
    [
      'an exit with a message',
      'import sys\nsys.exit("no input")',
      'The Python program ended with exit code 1: no input',
    ],
    [
      'an exit code that says nothing',
      'import sys\nsys.exit(1)',
      'The Python program ended with exit code 1.',
    ],
    [
      'a signal',
      'import os\nos.kill(os.getpid(), 9)',
      'The Python program ended with exit code 137 (killed by signal 9, SIGKILL).',
    ],
    [
      'an exit code, behind an exception that was only logged',
      'import logging, sys\ntry:\n  1 / 0\nexcept Exception:\n  logging.exception("x")\nsys.exit(2)',
      'The Python program ended with exit code 2.',
    ],
  ])('%s', async (_fact, source, error) => {
    const context = await withProgram(source);
    expect(await pythonRunner.run(task, context)).toMatchObject(failed);
    expect(context.output()?.error).toBe(error);
  });
});

test('the trace includes the cause of the last exception', async () => {
  const context = await withProgram(
    'try:\n  1 / 0\nexcept Exception as e:\n  raise ValueError("two\\nlines") from e',
  );
  await pythonRunner.run(task, context);
  expect(context.output()?.error).toBe('ValueError: two');
  expect(context.output()?.errorTrace).toMatch(
    /^Traceback [^]*ZeroDivisionError[^]*direct cause[^]*ValueError: two\nlines$/,
  );
});

test('only the end of a long stderr is read', async () => {
  const context = await withProgram(`
import logging, sys
try:
    1 / 0
except Exception:
    logging.exception("long ago")
sys.stderr.write("noise\\n" * 50_000)
sys.exit(1)`);
  await pythonRunner.run(task, context);
  expect(context.output()).toEqual({ error: 'The Python program ended with exit code 1: noise' });
});

test('a missing file fails the task with a message that names it', async () => {
  const context = await createTestContext();
  const message = 'managed_fs:/main.py does not exist.';
  expect(await pythonRunner.run(task, context)).toMatchObject({ kind: 'failed', message });
  expect(context.output()).toEqual({ error: message });
});

test('a missing interpreter fails the task with a message that names what to install', async () => {
  const context = await withProgram('', { interpreter: () => Promise.resolve(undefined) });
  const outcome = await pythonRunner.run(task, context);
  expect(outcome).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/^python3 was not found on this machine\. Install Python 3\.8 or newer/),
  });
  expect(context.startedCommands).toEqual([]);
});

test.each<[string, Exit, unknown]>([
  ['a stopped program is no failure', { kind: 'stopped' }, undefined],
  ['a flooded log is the error', { kind: 'flooded', message: 'too much' }, { error: 'too much' }],
  ['a lost program has no error of its own', { kind: 'lost', message: 'gone' }, undefined],
])('%s', async (_fact, exit, output) => {
  const context = await withProgram('', { exec: () => Promise.resolve(exit) });
  expect((await pythonRunner.run(task, context)).kind).toBe(exit.kind === 'flooded' ? 'failed' : exit.kind);
  expect(context.output()).toEqual(output);
});

test('a second call for the same attempt returns the same outcome although the file is gone', async () => {
  const context = await withProgram('raise ValueError("once")');
  const first = await pythonRunner.run(task, context);
  await rm(join(context.managedFs, 'main.py'));
  expect(await pythonRunner.run(task, context)).toEqual(first);
  expect(context.output()?.error).toBe('ValueError: once');
  expect(context.startedCommands).toHaveLength(1);
});

test('an exception group is named by its first line', () => {
  const trace = [
    '  + Exception Group Traceback (most recent call last):',
    '  |   File "x.py", line 1, in <module>',
    '  | ExceptionGroup: several (2 sub-exceptions)',
    '  +-+---------------- 1 ----------------',
    '    | ValueError: a',
    '    +------------------------------------',
  ].join('\n');
  expect(findUncaughtException(`noise\n${trace}\n`)).toEqual({
    error: 'ExceptionGroup: several (2 sub-exceptions)',
    errorTrace: trace,
  });
});
