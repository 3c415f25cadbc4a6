/** Objects of the workspace and files of managed_fs. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManagedFsOperations } from '../../../api/managed-fs/managed-fs-operations.ts';
import { createWorkspaceOperations } from '../../../api/workspace/workspace-operations.ts';
import { systemClock } from '../../../engine/clock.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { createRoots } from '../../../storage/files/roots.ts';
import { createUploads } from '../../../storage/files/uploads.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import { adminToken, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

let dataDirectory: string;

let service: ApiHarness;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-files-'));
  const roots = createRoots({ dataDirectory, allowedRoots: [] });
  service = await startApiHarness({
    operations: [
      ...createWorkspaceOperations({ workspace: createWorkspaceStore(roots, defaultLimits) }),
      ...createManagedFsOperations({
        managedFiles: createManagedFileStore(roots),
        uploads: createUploads(roots, systemClock),
      }),
    ],
  });
});

afterAll(async () => {
  await service.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a notebook is imported, described, listed, exported and deleted', async () => {
  const imported = await service.post('2.0/workspace/import', {
    path: '/Users/u/nb',
    language: 'PYTHON',
    content: base64('print(1)'),
  });
  expect(imported).toMatchObject({ status: 200, body: {} });
  const status = await service.get('2.0/workspace/get-status', { path: '/Workspace/Users/u/nb' });
  expect(status).toMatchObject({
    status: 200,
    body: { object_type: 'NOTEBOOK', path: '/Users/u/nb', language: 'PYTHON' },
  });
  for (const field of ['object_id', 'created_at', 'modified_at', 'size'])
    expect(status.body[field]).toSatisfy(Number.isSafeInteger);
  expect(await service.get('2.0/workspace/list', { path: '/Users/u' })).toMatchObject({
    status: 200,
    body: { objects: [status.body] },
  });
  expect(await service.get('2.0/workspace/export', { path: '/Users/u/nb', format: 'SOURCE' })).toMatchObject({
    status: 200,
    body: { content: base64('# Databricks notebook source\nprint(1)'), file_type: 'py' },
  });
  expect(await service.post('2.0/workspace/delete', { path: '/Users/u', recursive: 'true' })).toMatchObject({
    status: 200,
    body: {},
  });
  expect(await service.get('2.0/workspace/get-status', { path: '/Users/u/nb' })).toMatchObject({
    status: 404,
    body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: "Path (/Users/u/nb) doesn't exist." },
  });
});

test('a list leaves out notebooks that were not changed after a time', async () => {
  const notebook = { path: '/changed/nb', language: 'PYTHON', content: base64('1'), overwrite: true };
  await service.post('2.0/workspace/import', notebook);
  await service.post('2.0/workspace/mkdirs', { path: '/changed/folder' });
  const list = async (after: string): Promise<unknown> =>
    (await service.get('2.0/workspace/list', { path: '/changed', notebooks_modified_after: after })).body;
  const folder = expect.objectContaining({ path: '/changed/folder' });
  expect(await list('0')).toEqual({ objects: [folder, expect.objectContaining({ path: '/changed/nb' })] });
  expect(await list('9999999999999')).toEqual({ objects: [folder] });
});

test('a created directory has no size', async () => {
  expect(await service.post('2.0/workspace/mkdirs', { path: '/made/here' })).toMatchObject({
    status: 200,
    body: {},
  });
  const { body } = await service.get('2.0/workspace/get-status', { path: '/made/here' });
  expect(body).toMatchObject({ object_type: 'DIRECTORY', path: '/made/here' });
  expect(body).not.toHaveProperty('size');
  expect(await service.get('2.0/workspace/list', { path: '/made/here' })).toMatchObject({
    status: 200,
    body: { objects: [] },
  });
});

test.each(['managed_fs', 'dbfs'])(
  'a file is put, read, described, listed and deleted through %s',
  async (name) => {
    const path = `/${name}-test/a`;
    expect(
      await service.post(`2.0/${name}/put`, { path: `${name}:${path}`, contents: base64('hello') }),
    ).toMatchObject({ status: 200, body: {} });
    expect(await readFile(join(dataDirectory, 'managed_fs', path), 'utf8')).toBe('hello');
    expect(await service.get(`2.0/${name}/read`, { path, offset: '1', length: '3' })).toMatchObject({
      status: 200,
      body: { bytes_read: 3, data: base64('ell') },
    });
    const status = await service.get(`2.0/${name}/get-status`, { path });
    expect(status.body).toEqual({ path, is_dir: false, file_size: 5, modification_time: expect.any(Number) });
    expect(await service.get(`2.0/${name}/list`, { path: `/${name}-test` })).toMatchObject({
      body: { files: [status.body] },
    });
    expect(await service.post(`2.0/${name}/mkdirs`, { path: `/${name}-test/d` })).toMatchObject({
      status: 200,
      body: {},
    });
    expect(
      await service.post(`2.0/${name}/delete`, { path: `/${name}-test`, recursive: true }),
    ).toMatchObject({ status: 200, body: {} });
    expect(await service.get(`2.0/${name}/get-status`, { path })).toMatchObject({
      status: 404,
      body: { error_code: 'RESOURCE_DOES_NOT_EXIST' },
    });
  },
);

test.each([
  [
    'workspace/import',
    { path: '/a', language: 'PYTHON', content: 'no base64!' },
    'INVALID_PARAMETER_VALUE',
    'content is not base64: ',
  ],
  [
    'workspace/import',
    { path: '/a', language: 'PYTHON', content: 'abc' },
    'INVALID_PARAMETER_VALUE',
    'content is not base64: ',
  ],
  [
    'workspace/import',
    { path: '/a', language: 'PYTHON' },
    'INVALID_PARAMETER_VALUE',
    'Missing required field: content.',
  ],
  ['workspace/import', { content: '' }, 'INVALID_PARAMETER_VALUE', 'Missing required field: path.'],
  [
    'workspace/import',
    { path: '/a', content: '', format: 'DBC' },
    'INVALID_PARAMETER_VALUE',
    'format is "DBC"; it must be one of ',
  ],
  [
    'workspace/import',
    { path: '/../a', content: '', language: 'SQL' },
    'INVALID_PARAMETER_VALUE',
    'The path "/../a" leads outside the workspace.',
  ],
  ['workspace/mkdirs', { path: 'a' }, 'INVALID_PARAMETER_VALUE', 'The path "a" must begin with a slash.'],
  [
    'workspace/delete',
    { path: '/' },
    'INVALID_PARAMETER_VALUE',
    'The path "/" is the top of the workspace itself',
  ],
  ['managed_fs/put', { path: '/a' }, 'INVALID_PARAMETER_VALUE', 'Missing required field: contents.'],
  ['managed_fs/put', { path: '/a', contents: '====' }, 'INVALID_PARAMETER_VALUE', 'contents is not base64: '],
  [
    'managed_fs/put',
    { path: '/a/../..', contents: '' },
    'INVALID_PARAMETER_VALUE',
    'The path "/a/../.." leads outside managed_fs.',
  ],
])('%s with %j is refused', async (path, body, code, message) => {
  const answer = await service.post(`2.0/${path}`, body);
  expect(answer).toMatchObject({
    status: 400,
    body: { error_code: code, message: expect.stringContaining(message) },
  });
});

test.each([
  [{ path: '/x', length: '1048577' }, 'length is 1048577; it must be at most 1048576.'],
  [{ path: '/x', offset: '-1' }, 'offset is -1; it must be at least 0.'],
])('a read of %j is refused', async (query, message) => {
  expect(await service.get('2.0/managed_fs/read', query)).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_PARAMETER_VALUE', message },
  });
});

test('base64 with line breaks is accepted', async () => {
  await service.post('2.0/managed_fs/put', { path: '/lines', contents: 'aGVs\r\nbG8=\n' });
  expect(await service.get('2.0/managed_fs/read', { path: '/lines' })).toMatchObject({
    body: { bytes_read: 5, data: base64('hello') },
  });
});

test('a path is percent-decoded exactly once', async () => {
  const answer = await service.send({
    method: 'GET',
    url: '/api/2.0/workspace/get-status?path=/%252e%252e/%252e%252e/etc',
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect(answer).toMatchObject({
    status: 404,
    body: { message: "Path (/%2e%2e/%2e%2e/etc) doesn't exist." },
  });
});

test('a second put is refused without overwrite and replaces the file with it', async () => {
  const body = { path: '/twice', contents: base64('1') };
  expect(await service.post('2.0/managed_fs/put', body)).toMatchObject({ status: 200 });
  expect(await service.post('2.0/managed_fs/put', body)).toMatchObject({
    status: 400,
    body: { error_code: 'RESOURCE_ALREADY_EXISTS' },
  });
  expect(await service.post('2.0/managed_fs/put', { ...body, overwrite: true })).toMatchObject({
    status: 200,
  });
});
