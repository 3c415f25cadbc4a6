/** OpenAPI document and API reference: complete, consistent with the schemas, and served without a token. */
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Check, Errors } from 'typebox/value';
import { createDashboardOperations } from '../../../api/dashboards/dashboard-operations.ts';
import { exampleOf } from '../../../api/documentation/examples.ts';
import { describeApi } from '../../../api/documentation/open-api.ts';
import { createManagedFsOperations } from '../../../api/managed-fs/managed-fs-operations.ts';
import type { Operation } from '../../../api/http/operation.ts';
import { createCoreOperations } from '../../../api/http/operations.ts';
import { createWorkspaceOperations } from '../../../api/workspace/workspace-operations.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import {
  createClassicDashboardStore,
  createDashboardStore,
} from '../../../storage/postgres/dashboards/dashboards.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { createQueryFiles } from '../../../storage/files/query-files.ts';
import { createRoots } from '../../../storage/files/roots.ts';
import { createUploads } from '../../../storage/files/uploads.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import type { ResponseBody } from '../../harness/api-client.ts';
import { startApiHarness, type ApiHarness } from './api-harness.ts';

let service: ApiHarness;
let operations: readonly Operation[];
let document: ResponseBody;
beforeAll(async () => {
  service = await startApiHarness();
  // No request is handled, so the directories need not exist.
  const roots = createRoots({ dataDirectory: tmpdir(), allowedRoots: [] });
  operations = [
    ...createCoreOperations(service.ports),
    ...createWorkspaceOperations({ workspace: createWorkspaceStore(roots, defaultLimits) }),
    ...createManagedFsOperations({
      managedFiles: createManagedFileStore(roots),
      uploads: createUploads(roots, service.ports.clock),
    }),
    ...createDashboardOperations({
      ...service.ports,
      workspace: createWorkspaceStore(roots, defaultLimits),
      classicDashboards: createClassicDashboardStore(service.database.db),
      dashboards: createDashboardStore(service.database.db),
      queryFiles: createQueryFiles(roots),
      queries: { run: async () => ({ columns: [], rows: [], truncated: false }) },
    }),
  ];
  document = JSON.parse(JSON.stringify(describeApi(operations)));
});
afterAll(() => service.close());

/** Returns every documented operation with its method and path. */
function described(): { name: string; operation: ResponseBody }[] {
  return Object.entries<ResponseBody>(document.paths).flatMap(([path, methods]) =>
    Object.entries<ResponseBody>(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation,
    })),
  );
}

function valuesOf(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
}

describe('the OpenAPI document', () => {
  test('contains every operation in every version', () => {
    const expected = operations.flatMap(({ method, path, versions }) =>
      versions.map(
        (version) => `${method.toLowerCase()} /api/${version}${path.replaceAll(/:(\w+)\*?/g, '{$1}')}`,
      ),
    );
    expect(
      described()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(document).toMatchObject({
      openapi: '3.1.0',
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: {
        '/api/2.0/jobs/create': { post: { operationId: 'jobs_create_2_0', summary: 'Create a job' } },
      },
    });
  });

  test('contains summary, description, request and responses of every operation', () => {
    for (const { name, operation } of described()) {
      expect(operation.summary, name).toMatch(/\w/);
      expect(operation.description, name).toMatch(/\.$/);
      expect(Object.keys(operation.responses), name).toEqual(
        expect.arrayContaining(['200', '400', '401', '403', '404', '413', '429', '500', '503']),
      );
      if (name.startsWith('head ')) continue;
      expect(Object.values<ResponseBody>(operation.responses[200].content)[0].example, name).toBeDefined();
      if (/^(?:get|delete) |\/fs\//.test(name)) continue;
      expect(operation.requestBody.content['application/json'].example, name).toBeTypeOf('object');
    }
  });

  test('describes every parameter and has examples of required ones', () => {
    for (const { name, operation } of described()) {
      for (const parameter of operation.parameters) {
        expect(parameter.description, `${name} ${parameter.name}`).toMatch(/\w/);
        if (parameter.required) expect(parameter.example, `${name} ${parameter.name}`).toBeDefined();
      }
    }
  });

  test('contains an example of every error response', () => {
    for (const answer of Object.values<ResponseBody>(document.components.responses)) {
      expect(answer.content['application/json'].example).toEqual({
        error_code: expect.any(String),
        message: expect.any(String),
      });
    }
  });

  test('separates path fields from the body', () => {
    const { put } = document.paths['/api/2.0/permissions/jobs/{job_id}'];
    expect(put.parameters).toMatchObject([
      { name: 'job_id', in: 'path', required: true, schema: { type: 'integer' } },
    ]);
    expect(Object.keys(put.requestBody.content['application/json'].schema.properties)).toEqual([
      'access_control_list',
    ]);
  });

  test('offers a form for operations with a file field', () => {
    const { content } = document.paths['/api/2.0/managed_fs/put'].post.requestBody;
    expect(content['multipart/form-data'].schema.properties.contents).toMatchObject({
      contentMediaType: 'application/octet-stream',
    });
  });

  test('has unique operation ids', () => {
    const ids = described().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('assigns every operation to one declared section', () => {
    const names = document.tags.map((tag: ResponseBody) => tag.name);
    for (const { name, operation } of described()) {
      expect(operation.tags, name).toHaveLength(1);
      expect(names, name).toContain(operation.tags[0]);
    }
  });

  test('has no dangling references and no unused schemas', () => {
    const references = new Set(valuesOf('$ref', document).map(String));
    const targets = (kind: 'schemas' | 'responses') =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`);
    expect([...references].toSorted()).toEqual([...targets('schemas'), ...targets('responses')].toSorted());
  });

  test('is smaller than 600 kB', () => {
    expect(JSON.stringify(document).length).toBeLessThan(600_000);
    expect(JSON.stringify(document)).not.toContain('~kind');
  });
});

describe('examples', () => {
  test('exist for every operation', () => {
    expect(
      operations.filter((operation) => exampleOf(operation) === undefined).map(({ path }) => path),
    ).toEqual([]);
  });

  test('match the schemas of request and response', () => {
    for (const operation of operations) {
      const { request, answer } = exampleOf(operation) ?? { request: undefined, answer: undefined };
      const faults = [...Errors(operation.request, request), ...Errors(operation.response, answer)];
      expect(faults, operation.path).toEqual([]);
      expect(Check(operation.request, request) && Check(operation.response, answer), operation.path).toBe(
        true,
      );
    }
  });

  test.each(['2.0', '2.1', '2.2'])(
    'jobs and submissions are taken in %s as they are shown',
    async (version) => {
      for (const path of ['/jobs/create', '/jobs/runs/submit']) {
        const answer = await service.post(`${version}${path}`, exampleOf({ method: 'POST', path })?.request);
        expect(answer).toMatchObject({ status: 200 });
      }
    },
  );
});

describe('without a token', () => {
  test('the document is served', async () => {
    const { status, headers, body } = await service.send({ url: '/api/openapi.json' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({ openapi: '3.1.0' });
  });

  test('the page and all its resources are served locally', async () => {
    const { status, headers, body } = await service.send({ url: '/api/docs' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'.*script-src 'self';.*connect-src 'self'.*frame-ancestors 'none'/,
    );
    const loaded = [...String(body['text']).matchAll(/(?:src|href)="([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(loaded.length).toBeGreaterThan(4);
    for (const url of [...loaded, '/api/docs/json']) {
      expect(url).toMatch(/^\/api\/docs\//);
      expect((await service.send({ url })).status, url).toBe(200);
    }
  });

  test('a missing resource of the page returns 404', async () => {
    expect(await service.send({ url: '/api/docs/static/nothing.js' })).toMatchObject({
      status: 404,
      body: { error_code: 'ENDPOINT_NOT_FOUND' },
    });
  });
});
