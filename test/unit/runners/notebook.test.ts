/** Notebook tasks: what the runner makes of a notebook's end. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Exit, RunnerContext } from '../../../runners/contract.ts';
import { notebookRunner } from '../../../runners/notebook/notebook.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createTestContext, type TestContext } from './test-context.ts';

const failed = { kind: 'failed', message: 'Workload failed, see run output for details' };
const task = { notebook_path: '/nb' };

/** A context whose workspace holds /nb with these cells. */
async function withNotebook(
  cells: readonly string[],
  changes: Partial<RunnerContext> = {},
): Promise<TestContext> {
  const context = await createTestContext(changes);
  await writeFile(join(context.workspace, 'nb.py'), cells.join('\n# COMMAND ----------\n'));
  return context;
}

test.each<[string, string, object]>([
  ['the value of exit is the result', 'dbutils.notebook.exit("done")', { result: 'done', truncated: false }],
  ['an empty value is a result', 'dbutils.notebook.exit("")', { result: '', truncated: false }],
  ['without exit there is no result', '1', {}],
  [
    'a parameter reaches the notebook',
    'dbutils.notebook.exit(dbutils.widgets.get("year"))',
    { result: '2013', truncated: false },
  ],
])('%s', async (_fact, cell, output) => {
  const context = await withNotebook([cell]);
  expect(await notebookRunner.run({ ...task, base_parameters: { year: '2013' } }, context)).toEqual({
    kind: 'succeeded',
  });
  expect(context.output()).toEqual(output);
});

test('a result over the limit is truncated between characters and marked as truncated', async () => {
  const context = await withNotebook(['dbutils.notebook.exit("é" * 10)'], {
    limits: { ...defaultLimits, notebookResultBytes: 5 },
  });
  expect(await notebookRunner.run(task, context)).toEqual({ kind: 'succeeded' });
  expect(context.output()).toEqual({ result: 'éé', truncated: true });
});

test('the exception of a failed cell is the error, with a trace that names the cell', async () => {
  const context = await withNotebook(['x = 0', '\n1 / x']);
  expect(await notebookRunner.run(task, context)).toMatchObject(failed);
  expect(context.output()).toEqual({
    error: 'ZeroDivisionError: division by zero',
    errorTrace: expect.stringContaining('Cell 2, line 1'),
  });
});

test('a cell over the output limit fails the run', async () => {
  const context = await withNotebook(['print("x" * 101)', '2'], {
    limits: { ...defaultLimits, notebookCellBytes: 100 },
  });
  expect(await notebookRunner.run(task, context)).toMatchObject(failed);
  expect(context.output()?.error).toMatch(
    /^Cell 1 exceeded the output limit of 100 bytes\. The rest of the run was cancelled\.$/,
  );
});

test.each<[string, string, string]>([
  [
    'an exit behind its back',
    'import os\nos._exit(9)',
    'The notebook process ended with exit code 9 while cell 2 was running.',
  ],
  [
    'even with code 0',
    'import os\nos._exit(0)',
    'The notebook process ended with exit code 0 while cell 2 was running.',
  ],
  [
    'a kill',
    'import os\nos.kill(os.getpid(), 9)',
    'The notebook process ended with exit code 137 (killed by signal 9, SIGKILL) while cell 2 was running.',
  ],
])('a notebook that crashes is failed, and its report says where: %s', async (_fact, cell, error) => {
  const context = await withNotebook(['print("kept")', cell, '3']);
  expect(await notebookRunner.run(task, context)).toMatchObject(failed);
  expect(context.output()).toEqual({ error });
  const report = await context.report();
  expect(report.cells.map((each) => each.status)).toEqual(['finished', 'failed', 'skipped']);
  expect(report.cells[1]?.outputs).toEqual([{ type: 'error', summary: error, trace: error }]);
  // Called again after a restart of the engine, it says the same.
  expect(await notebookRunner.run(task, context)).toMatchObject(failed);
  expect(context.output()).toEqual({ error });
  expect(await context.report()).toEqual(report);
});

test.each<[string, string]>([
  ['.scala', 'a Scala notebook'],
  ['.r', 'a R notebook'],
])('a notebook that is not Python is refused by name: %s', async (extension, words) => {
  const context = await createTestContext();
  await writeFile(join(context.workspace, `nb${extension}`), '');
  expect(await notebookRunner.run(task, context)).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining(`The notebook /nb is ${words}, which is not supported`),
  });
  expect(context.startedCommands).toEqual([]);
});

test('a missing notebook fails the task with a message that names it', async () => {
  const context = await createTestContext();
  expect(await notebookRunner.run(task, context)).toMatchObject({
    kind: 'failed',
    message: '/nb does not exist.',
  });
});

test('an attempt runs the notebook as it was at the start of the attempt', async () => {
  let changed = false;
  const context = await withNotebook(['dbutils.notebook.exit("first")']);
  const late: RunnerContext = {
    ...context,
    async exec(command) {
      // The notebook is edited after a crash of the engine before the start.
      if (changed) return context.exec(command);
      changed = true;
      await rm(join(context.workspace, 'nb.py'));
      throw new Error('the engine is gone');
    },
  };
  await expect(notebookRunner.run(task, late)).rejects.toThrow('the engine is gone');
  expect(await notebookRunner.run(task, late)).toEqual({ kind: 'succeeded' });
  expect(context.output()?.result).toBe('first');
});

test.each<[Exit, string, object | undefined]>([
  [{ kind: 'stopped' }, 'stopped', undefined],
  [{ kind: 'lost', message: 'gone' }, 'lost', undefined],
  [{ kind: 'flooded', message: 'too much' }, 'failed', { error: 'too much' }],
])('a process that ended as $kind leaves that outcome', async (exit, kind, output) => {
  const context = await withNotebook(['1'], { exec: () => Promise.resolve(exit) });
  expect((await notebookRunner.run(task, context)).kind).toBe(kind);
  expect(context.output()).toEqual(output);
});
