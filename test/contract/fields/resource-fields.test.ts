/** Fields of requests for clusters, pools, policies and pipelines: refused, or accepted and shown. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation, RequestContext } from '../../../api/http/operation.ts';
import { documentedFields } from '../../../engine/job/fields/documented-fields.ts';
import type { FieldTable } from '../../../engine/job/fields/field-support.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createOperationsOf } from '../../unit/api/all-operations.ts';
import { startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';
import { newCluster } from './sample.ts';

interface ResourceRequest {
  readonly create: string;
  readonly base: (name: string) => object;
  /** Path of the operation that shows the resource, and its field with the id. */
  readonly get: readonly [string, string];
}

const requests = {
  ClusterRequest: {
    create: '/clusters/create',
    base: () => newCluster,
    get: ['/clusters/get', 'cluster_id'],
  },
  InstancePool: {
    create: '/instance-pools/create',
    base: (name) => ({ instance_pool_name: name, node_type_id: 'standard-2' }),
    get: ['/instance-pools/get', 'instance_pool_id'],
  },
  ClusterPolicy: {
    create: '/policies/clusters/create',
    base: (name) => ({ name }),
    get: ['/policies/clusters/get', 'policy_id'],
  },
  Pipeline: {
    create: '/pipelines',
    base: (name) => ({ name, libraries: [] }),
    get: ['/pipelines/:pipeline_id', 'pipeline_id'],
  },
} satisfies Partial<Record<keyof typeof documentedFields, ResourceRequest>>;

/** Values of the fields that are no object. */
const samples: Readonly<Record<string, unknown>> = {
  min_idle_instances: 1,
  idle_instance_autotermination_minutes: 5,
  custom_tags: { team: 'data' },
  preloaded_spark_versions: ['16.4.x-scala2.12'],
  enable_elastic_disk: true,
};

const abort = new AbortController().signal;
const context: RequestContext = {
  version: '2.0',
  caller: {
    principalId: 1,
    userName: 'admin',
    admin: true,
    tokenId: 't',
    scopes: ['all-apis'],
    through: 'a test',
  },
  visibleTo: undefined,
  log: pino({ level: 'silent' }),
  warn: () => undefined,
  recordChange: () => undefined,
  disconnectSignal: abort,
  shutdownSignal: abort,
  lastEventId: undefined,
  body: Readable.from([]),
  download: { range: undefined, unmodifiedSince: undefined },
};

let service: ApiHarness;
let directory: string;
let operations: readonly Operation[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-fields-'));
  service = await startApiHarness();
  operations = createOperationsOf(service, directory, defaultLimits);
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

async function call(method: string, path: string, input: object): Promise<object> {
  const found = operations.find((one) => one.method === method && one.path === path);
  if (found === undefined) throw new Error(`There is no operation ${method} ${path}.`);
  return found.handle(input, context);
}

const rows = Object.entries<ResourceRequest>(requests).flatMap(([object, request]) =>
  Object.entries(new Map(Object.entries<FieldTable>(documentedFields)).get(object) ?? {})
    .filter(([field, { state }]) => state !== 'works' && field !== 'restart_user')
    .map(([field, { state }]) => ({ name: `${object}.${field}`, field, state, request })),
);

test.each(rows)('$name: $state', async ({ name, field, state, request: { create, base, get } }) => {
  const value = samples[field] ?? { any: 'value' };
  const made = call('POST', create, { ...base(name), [field]: value });
  if (state === 'refused') {
    await expect(made).rejects.toMatchObject({
      code: 'INVALID_PARAMETER_VALUE',
      message: expect.stringContaining(`${field} is not supported; `),
    });
    return;
  }
  const [path, id] = get;
  const shown = await call('GET', path, { [id]: Reflect.get(await made, id) });
  const document: unknown = Reflect.get(shown, 'spec') ?? shown;
  expect(document).toHaveProperty([field], value);
});
