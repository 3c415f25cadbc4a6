/** Files of a notebook attempt, validated when they are read. */
import { mkdir, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNotebookFiles, type NotebookFiles } from '../../../storage/files/notebook-files.ts';
import { createTestRoots, type TestRoots } from './test-roots.ts';

async function fresh(): Promise<TestRoots & { notebooks: NotebookFiles }> {
  const tools = await createTestRoots();
  return { ...tools, notebooks: createNotebookFiles(tools.roots) };
}

const cell = {
  position: 1,
  language: 'python',
  source: 'x',
  status: 'finished',
  startTime: 1,
  finishTime: 2,
  outputs: [
    { type: 'text', data: '1' },
    { type: 'error', summary: 's', trace: 't' },
    {
      type: 'table',
      columns: [{ name: 'a', type: 'INTEGER' }],
      rows: [[1], ['x'], [true], [null]],
      rowsTotal: 9,
    },
    { type: 'image', mime: 'image/png', data: 'AAAA' },
  ],
};
const report = {
  path: '/nb',
  language: 'sql',
  parameters: { a: '1' },
  cells: [
    cell,
    { position: 2, language: 'markdown', title: 'T', source: '# x', status: 'skipped', outputs: [] },
  ],
  exitValue: 'v',
  error: { summary: 's', trace: 't', cell: 0 },
};

test('the report is the one that the runner wrote', async () => {
  const { notebooks, putFile } = await fresh();
  await putFile('data/runs/7/notebook.json', JSON.stringify(report));
  expect(await notebooks.report(7)).toEqual(report);
});

test('a notebook that did not start has no report and no source', async () => {
  const { notebooks } = await fresh();
  expect(await notebooks.report(7)).toBeUndefined();
  expect(await notebooks.source(7, 100)).toBeUndefined();
});

test.each<[string, unknown]>([
  ['no JSON', '{'],
  ['no object', []],
  ['no cells', { path: '/nb' }],
  ['a cell without source', { ...report, cells: [{ ...cell, source: undefined }] }],
  [
    'an output of an unknown type',
    { ...report, cells: [{ ...cell, outputs: [{ type: 'script', data: '' }] }] },
  ],
  [
    'a table whose values have parts',
    { ...report, cells: [{ ...cell, outputs: [{ type: 'table', columns: [], rows: [[{}]] }] }] },
  ],
  [
    'a picture of an unknown kind',
    { ...report, cells: [{ ...cell, outputs: [{ type: 'image', mime: 'text/html', data: '' }] }] },
  ],
  ['an output that is no text', { ...report, cells: [{ ...cell, outputs: [{ type: 'text', data: {} }] }] }],
  ['a time that no clock shows', { ...report, cells: [{ ...cell, startTime: 1e300 }] }],
  ['a parameter that is no text', { ...report, parameters: { a: 1 } }],
])('a report with %s says that something else wrote it', async (_, content) => {
  const { notebooks, putFile } = await fresh();
  await putFile('data/runs/7/notebook.json', typeof content === 'string' ? content : JSON.stringify(content));
  expect(await notebooks.report(7)).toMatchObject({
    cells: [],
    error: { cell: 0, summary: expect.stringContaining('changed by something other than its runner') },
  });
});

test('a report that is too long is not read', async () => {
  const { notebooks, putFile } = await fresh();
  await truncate(await putFile('data/runs/7/notebook.json'), 64 * 2 ** 20 + 1);
  expect(await notebooks.report(7)).toMatchObject({
    error: { summary: expect.stringContaining('it has more than 67108864 bytes') },
  });
});

test('the source is read up to the limit, and no link is followed', async () => {
  const { notebooks, putFile, base } = await fresh();
  await putFile('data/runs/7/notebook.py', 'print(1)');
  expect(await notebooks.source(7, 100)).toBe('print(1)');
  expect(await notebooks.source(7, 5)).toBe('print');
  await putFile('data/runs/9/notebook.sql', 'SELECT 1');
  expect(await notebooks.source(9, 100)).toBe('SELECT 1');
  const secret = await putFile('outside/secret');
  await mkdir(join(base, 'data/runs/8'));
  await symlink(secret, join(base, 'data/runs/8/notebook.py'));
  await symlink(secret, join(base, 'data/runs/8/notebook.json'));
  expect(await notebooks.source(8, 100)).toBeUndefined();
  expect(await notebooks.report(8)).toBeUndefined();
});
