/** Export of notebooks and files of the workspace: formats, and direct download of the bytes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkspaceOperations } from '../../../api/workspace/workspace-operations.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createRoots } from '../../../storage/files/roots.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import { adminToken, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';
import { extractModel } from '../../unit/engine/run/notebook-page/sample-notebooks.ts';

let dataDirectory: string;
let service: ApiHarness;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const source =
  '# Databricks notebook source\n# MAGIC %md\n# MAGIC Hello\n\n# COMMAND ----------\n\nprint(1)\n';
const jupyter = {
  nbformat: 4,
  cells: [
    { cell_type: 'markdown', source: ['Hello'] },
    { cell_type: 'code', source: 'print(1)', outputs: [{ output_type: 'stream', text: '1' }] },
  ],
};

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-export-'));
  const roots = createRoots({ dataDirectory, allowedRoots: [] });
  service = await startApiHarness({
    operations: createWorkspaceOperations({ workspace: createWorkspaceStore(roots, defaultLimits) }),
  });
  for (const [path, format, text] of [
    ['/export/nb', 'SOURCE', source],
    ['/export/jup', 'JUPYTER', JSON.stringify(jupyter)],
    ['/export/broken', 'JUPYTER', '{}'],
    ['/export/a"b’c.bin', 'RAW', '\u0000bytes'],
  ])
    expect(
      await service.post('2.0/workspace/import', {
        path,
        format,
        content: base64(text ?? ''),
        ...(format === 'SOURCE' && { language: 'PYTHON' }),
      }),
    ).toMatchObject({ status: 200 });
});

afterAll(async () => {
  await service.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const download = (path: string, format?: string) =>
  service.app.inject({
    method: 'GET',
    url: '/api/2.0/workspace/export',
    query: { path, direct_download: 'true', ...(format !== undefined && { format }) },
    headers: { authorization: `Bearer ${adminToken}` },
  });

test.each([
  ['/export/nb', undefined, source, 'nb.py'],
  ['/export/nb', 'SOURCE', source, 'nb.py'],
  ['/export/nb', 'AUTO', source, 'nb.py'],
  ['/export/nb', 'RAW', source, 'nb.py'],
  ['/export/nb.py', 'SOURCE', source, 'nb.py'],
  ['/export/jup', 'SOURCE', source, 'jup.py'],
  ['/export/jup', 'JUPYTER', JSON.stringify(jupyter), 'jup.ipynb'],
  ['/export/jup', 'AUTO', JSON.stringify(jupyter), 'jup.ipynb'],
  ['/export/broken', 'RAW', '{}', 'broken.ipynb'],
  ['/export/a"b’c.bin', undefined, '\u0000bytes', 'a%22b%E2%80%99c.bin'],
  ['/export/a"b’c.bin', 'RAW', '\u0000bytes', 'a%22b%E2%80%99c.bin'],
])('direct_download of %s in format %s answers the bytes', async (path, format, text, name) => {
  const { statusCode, headers, rawPayload } = await download(path, format);
  expect([statusCode, rawPayload.toString('utf8')]).toEqual([200, text]);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    'x-content-type-options': 'nosniff',
  });
});

test('a source notebook is exported as a Jupyter notebook, which can be imported again', async () => {
  const { body } = await service.get('2.0/workspace/export', { path: '/export/nb', format: 'JUPYTER' });
  expect(body['file_type']).toBe('ipynb');
  const document: unknown = JSON.parse(Buffer.from(String(body['content']), 'base64').toString('utf8'));
  expect(document).toMatchObject({
    nbformat: 4,
    cells: [
      { cell_type: 'markdown', source: ['Hello'] },
      { cell_type: 'code', source: ['print(1)'], outputs: [] },
    ],
  });
  await service.post('2.0/workspace/import', {
    path: '/export/again',
    format: 'JUPYTER',
    content: body['content'],
  });
  expect((await download('/export/again', 'SOURCE')).body).toBe(source);
});

test.each(['/export/nb', '/export/jup'])('%s is exported as a page with its cells', async (path) => {
  const { body } = await service.get('2.0/workspace/export', { path, format: 'HTML' });
  const page = (await download(path, 'HTML')).body;
  expect(body).toEqual({ content: base64(page), file_type: 'html' });
  expect(extractModel(page)).toMatchObject({
    name: path.slice('/export/'.length),
    language: 'python',
    commands: [{ command: '%md Hello' }, { command: 'print(1)', results: null, state: 'finished' }],
  });
  expect(page).toContain('<p>Hello</p>');
  expect(page).not.toMatch(/Not run|undefined|class="state|class="label/);
});

test.each([
  ['/export/a"b’c.bin', 'HTML', 'is a file; only notebooks can be exported as HTML. Use RAW for files.'],
  ['/export/a"b’c.bin', 'JUPYTER', 'is a file; only notebooks can be exported as JUPYTER.'],
  ['/export/broken', 'SOURCE', 'Use RAW to export it as stored.'],
  ['/export/broken', 'HTML', 'is no Jupyter notebook of nbformat 4 in a known language'],
  ['/export', 'AUTO', 'is a directory; only notebooks and files can be exported.'],
  ['/export/nb', 'DBC', 'format is "DBC"; it must be one of SOURCE, HTML, JUPYTER, AUTO, RAW.'],
])('%s in format %s is refused', async (path, format, message) => {
  expect(await service.get('2.0/workspace/export', { path, format })).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_PARAMETER_VALUE', message: expect.stringContaining(message) },
  });
});
