/** Multipart forms as requests of operations with a file field. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createManagedFsOperations } from '../../../api/managed-fs/managed-fs-operations.ts';
import { createWorkspaceOperations } from '../../../api/workspace/workspace-operations.ts';
import { systemClock } from '../../../engine/clock.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { createRoots } from '../../../storage/files/roots.ts';
import { createUploads } from '../../../storage/files/uploads.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import {
  adminToken,
  startApiHarness,
  type ApiResponse,
  type ApiHarness,
} from '../../unit/api/api-harness.ts';

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

describe('multipart forms', () => {
  /** Builds the bytes of a form as clients send them: plain fields, and a file with a name. */
  async function form(
    path: string,
    parts: readonly (readonly [name: string, value: string | Blob])[],
  ): Promise<ApiResponse> {
    const body = new FormData();
    for (const [name, value] of parts) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, 'file.py');
    }
    const request = new Request('http://runyard.test', { method: 'POST', body });
    return service.send({
      method: 'POST',
      url: `/api/2.0/${path}`,
      payload: Buffer.from(await request.arrayBuffer()),
      headers: {
        authorization: `Bearer ${adminToken}`,
        'content-type': request.headers.get('content-type') ?? '',
      },
    });
  }

  const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 128]);

  test.each(['managed_fs', 'dbfs'])('a file is stored unchanged through %s', async (name) => {
    const path = `/form-${name}`;
    expect(
      await form(`${name}/put`, [
        ['path', path],
        ['contents', new Blob([bytes])],
        ['overwrite', 'true'],
      ]),
    ).toMatchObject({ status: 200, body: {} });
    expect(await readFile(join(dataDirectory, 'managed_fs', path))).toEqual(bytes);
  });

  test.each(['content', 'contents', 'file'])('the part with the file may be named %s', async (part) => {
    for (const [path, more] of [
      ['managed_fs/put', []],
      ['workspace/import', [['format', 'AUTO']]],
    ] as const) {
      const parts = [
        ['path', '/form/part.bin'],
        [part, new Blob([bytes])],
        ['overwrite', 'true'],
        ...more,
      ] as const;
      expect(await form(path, parts)).toMatchObject({ status: 200, body: {} });
    }
    for (const root of ['managed_fs', 'workspace'])
      expect(await readFile(join(dataDirectory, root, 'form/part.bin'))).toEqual(bytes);
  });

  test('a notebook is imported unchanged', async () => {
    const parts = [
      ['path', '/form/nb'],
      ['format', 'SOURCE'],
      ['language', 'PYTHON'],
      ['overwrite', 'True'],
      ['content', new Blob(['print(1)\n'])],
    ] as const;
    expect(await form('workspace/import', parts)).toMatchObject({ status: 200, body: {} });
    expect((await service.get('2.0/workspace/export', { path: '/form/nb' })).body).toEqual({
      content: base64('# Databricks notebook source\nprint(1)\n'),
      file_type: 'py',
    });
  });

  test('contents may be a base64 field, and an empty file is accepted', async () => {
    expect(
      await form('managed_fs/put', [
        ['path', '/form-field'],
        ['contents', base64('hello')],
      ]),
    ).toMatchObject({ status: 200 });
    expect(await readFile(join(dataDirectory, 'managed_fs/form-field'), 'utf8')).toBe('hello');
    expect(
      await form('managed_fs/put', [
        ['path', '/form-empty'],
        ['contents', new Blob([])],
      ]),
    ).toMatchObject({ status: 200 });
    expect(await readFile(join(dataDirectory, 'managed_fs/form-empty'), 'utf8')).toBe('');
  });

  const file = new Blob(['x']);
  test.each<[string, string, (readonly [string, string | Blob])[], string, string]>([
    [
      'no file',
      'managed_fs/put',
      [['path', '/no-file']],
      'INVALID_PARAMETER_VALUE',
      'Missing required field: contents.',
    ],
    [
      'no path',
      'workspace/import',
      [['content', file]],
      'INVALID_PARAMETER_VALUE',
      'Missing required field: path.',
    ],
    [
      'two files',
      'managed_fs/put',
      [
        ['path', '/two'],
        ['contents', file],
        ['contents', file],
      ],
      'INVALID_PARAMETER_VALUE',
      'contents occurs more than once in the form; send it once.',
    ],
    [
      'a duplicate field',
      'managed_fs/put',
      [
        ['path', '/two'],
        ['path', '/other'],
        ['contents', file],
      ],
      'INVALID_PARAMETER_VALUE',
      'path occurs more than once in the form; send it once.',
    ],
    [
      'a file under another name',
      'managed_fs/put',
      [
        ['path', '/other'],
        ['data', file],
      ],
      'INVALID_PARAMETER_VALUE',
      '"data" is sent as a file; only contents may be a file.',
    ],
    [
      'a file under two of its names',
      'managed_fs/put',
      [
        ['path', '/other'],
        ['contents', file],
        ['file', file],
      ],
      'INVALID_PARAMETER_VALUE',
      'contents occurs more than once in the form; send it once.',
    ],
    [
      'an existing path',
      'managed_fs/put',
      [
        ['path', '/taken'],
        ['contents', file],
      ],
      'RESOURCE_ALREADY_EXISTS',
      '/taken',
    ],
    [
      'a path that leads outside',
      'managed_fs/put',
      [
        ['path', '/../x'],
        ['contents', file],
      ],
      'INVALID_PARAMETER_VALUE',
      'The path "/../x" leads outside managed_fs.',
    ],
    [
      'an invalid boolean',
      'managed_fs/put',
      [
        ['path', '/x'],
        ['contents', file],
        ['overwrite', 'yes'],
      ],
      'MALFORMED_REQUEST',
      'Expected boolean for field overwrite, found STRING "yes"',
    ],
    [
      'an operation that does not accept forms',
      'workspace/mkdirs',
      [['path', '/x']],
      'MALFORMED_REQUEST',
      'Invalid JSON given in the body of the request - expected a map: this operation does not accept forms.',
    ],
  ])('%s is refused', async (_, path, parts, code, message) => {
    await service.post('2.0/managed_fs/put', { path: '/taken', contents: '', overwrite: true });
    expect(await form(path, parts)).toMatchObject({
      status: 400,
      body: { error_code: code, message: expect.stringContaining(message) },
    });
  });

  test.each([
    [
      'a truncated form',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="path"\r\n\r\n/a\r\n',
    ],
    ['a form without its boundary', 'multipart/form-data', '--x--\r\n'],
    ['a body that is not a form', 'multipart/form-data; boundary=x', '{"path": "/a"}'],
    ['no bytes', 'multipart/form-data; boundary=x', ''],
  ])('%s is refused', async (_, type, payload) => {
    const answer = await service.send({
      method: 'POST',
      url: '/api/2.0/managed_fs/put',
      payload,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': type },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error_code: 'MALFORMED_REQUEST',
        message: expect.stringMatching(/^Invalid multipart form given in the body of the request: /),
      },
    });
  });

  test('a form just below 10 MB is accepted, a larger one returns 413', async () => {
    const parts = (size: number) =>
      [
        ['path', '/large'],
        ['overwrite', 'true'],
        ['contents', new Blob([Buffer.alloc(size)])],
      ] as const;
    expect(await form('managed_fs/put', parts(10 * 2 ** 20))).toMatchObject({
      status: 413,
      body: { error_code: 'REQUEST_TOO_LARGE', message: 'Size of the request body exceeds 10485760 bytes' },
    });
    expect(await form('managed_fs/put', parts(10 * 2 ** 20 - 1_000))).toMatchObject({ status: 200 });
  });
});
