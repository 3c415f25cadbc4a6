/** Authorization of every operation by token, scope and permission level; new operations are covered. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../api/http/app.ts';
import { exampleOf } from '../../../api/documentation/examples.ts';
import type { Operation } from '../../../api/http/operation.ts';
import { permissionLevels, hasPermission } from '../../../engine/job/permissions.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { scopeDescriptions } from '../../../engine/token/scopes.ts';
import { isTransientError } from '../../../storage/postgres/transient-errors.ts';
import { createTokenLookup } from '../../../storage/postgres/tokens/token-lookup.ts';
import { pino } from 'pino';
import { addUser } from '../../harness/users.ts';
import { adminToken, idFrom, startApiHarness, type ApiHarness } from './api-harness.ts';
import { createOperationsOf } from './all-operations.ts';

/** The clock is frozen, so all requests fall into one rate-limit window. */
const limits = { ...defaultLimits, requestsPerSecondPerToken: 1e9, failedCredentialsPerMinute: 1e9 };
const scopeNames = Object.keys(scopeDescriptions);

let service: ApiHarness;
let directory: string;
let operations: readonly Operation[];
let app: ReturnType<typeof createApp>;
/** Invalid tokens by defect. */
const bad = new Map<string, string>();
const scoped = new Map<string, string>();
const people = new Map<string, string>();
let jobId: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-matrix-'));
  service = await startApiHarness({}, limits, true);
  const {
    database: { db },
    ports,
  } = service;
  operations = createOperationsOf(service, directory, limits);
  const log = pino({ level: 'silent' });
  app = createApp({
    operations,
    permissions: ports.permissions,
    limits,
    log,
    isTransientError: isTransientError,
    metricsOpen: false,
    workspace: ports.workspaceInfo,
    audit: () => undefined,
    auth: { tokens: createTokenLookup(db), clock: ports.clock, log },
    metrics: { databaseQueries: () => 0, activeRuns: () => 0 },
    checkReadiness: async () => ({ ready: true }),
  });
  bad.set('wrong', 'unknown-token');
  for (const name of ['expired', 'revoked', 'switched off', 'unused'])
    bad.set(name, await addUser(db, name.replace(' ', '-'), { admin: true }));
  const ofUser = (name: string) =>
    db.selectFrom('principals').select('principal_id').where('user_name', '=', name);
  await db
    .updateTable('tokens')
    .set({ expiry_time: 1 })
    .where('principal_id', '=', ofUser('expired'))
    .execute();
  await db
    .updateTable('tokens')
    .set({ revoked_time: 1 })
    .where('principal_id', '=', ofUser('revoked'))
    .execute();
  await db
    .updateTable('tokens')
    .set({ last_accessed_time: ports.clock.now() - 90 * 86_400_000 })
    .where('principal_id', '=', ofUser('unused'))
    .execute();
  await db.updateTable('principals').set({ active: false }).where('user_name', '=', 'switched-off').execute();
  for (const scope of scopeNames)
    scoped.set(scope, await addUser(db, 'root', { admin: true, scopes: [scope] }));
  for (const name of ['stranger', ...permissionLevels]) people.set(name, await addUser(db, name));
  const list = permissionLevels
    .filter((level) => level !== 'IS_OWNER')
    .map((level) => ({ user_name: level, permission_level: level }));
  const made = await app.inject({
    method: 'POST',
    url: '/api/2.0/jobs/create',
    headers: { authorization: `Bearer ${people.get('IS_OWNER')}` },
    payload: {
      name: 'j',
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/nb' },
      access_control_list: list,
      max_concurrent_runs: 1_000,
    },
  });
  jobId = made.json().job_id;
});
afterAll(async () => {
  await app.close();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** `message` is undefined for the answer to a HEAD request, which has no body. */
type Answer = { readonly status: number; readonly message: string | undefined };

/** Sends the example request of an operation with some fields replaced. */
async function call(
  { method, path, versions }: Operation,
  token: string | undefined,
  fields: Record<string, unknown> = {},
): Promise<Answer> {
  const input: Record<string, unknown> = { ...exampleOf({ method, path })?.request, ...fields };
  let url = `/api/${versions[0]}${path}`;
  for (const [field, name = ''] of path.matchAll(/:(\w+)\*?/g)) {
    url = url.replace(field, encodeURIComponent(String(input[name])));
    delete input[name];
  }
  const query = Object.fromEntries(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const answer = await app.inject({
    method,
    url,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(method === 'GET' || method === 'HEAD' ? { query } : { payload: input }),
  });
  if (method === 'HEAD') return { status: answer.statusCode, message: undefined };
  // Responses other than JSON are not errors.
  const json = String(answer.headers['content-type']).startsWith('application/json');
  return { status: answer.statusCode, message: json ? String(answer.json().message) : '' };
}

/** Returns the failures of a check of all operations. */
async function wrong(
  find: (operation: Operation) => Promise<string | undefined>,
  of: readonly Operation[] = operations,
): Promise<string[]> {
  const found: string[] = [];
  for (const operation of of) {
    const what = await find(operation);
    if (what !== undefined) found.push(`${operation.method} ${operation.path}: ${what}`);
  }
  return found;
}

const is = (answer: Answer, status: number, message: string | RegExp): string | undefined =>
  answer.status === status &&
  (answer.message === undefined ||
    (typeof message === 'string' ? answer.message === message : message.test(answer.message)))
    ? undefined
    : `${answer.status} ${answer.message}`;

test('every operation has an example request', () => {
  expect(operations.length).toBeGreaterThan(60);
  expect(
    operations.filter((operation) => exampleOf(operation) === undefined).map(({ path }) => path),
  ).toEqual([]);
});

describe('tokens', () => {
  test('spec 5.1: a request without a token is refused', async () => {
    expect(
      await wrong(async (operation) =>
        is(
          await call(operation, undefined),
          401,
          'Credential was not sent or was of an unsupported type for this API.',
        ),
      ),
    ).toEqual([]);
  });

  test.each(['wrong', 'expired', 'revoked', 'switched off', 'unused'])(
    'a request with a token that is %s is refused',
    async (name) => {
      expect(
        await wrong(async (operation) =>
          is(await call(operation, bad.get(name)), 403, /^Invalid access token\./),
        ),
      ).toEqual([]);
    },
  );

  test('spec 5.4: tokens are refused while tokens are disabled or the permission is withheld', async () => {
    const { db } = service.database;
    const refused = () =>
      wrong(async (operation) =>
        is(await call(operation, people.get('IS_OWNER')), 403, /^User IS_OWNER may not use access tokens/),
      );
    await db
      .insertInto('workspace_settings')
      .values({ name: 'enableTokensConfig', value: 'false' })
      .execute();
    expect(await refused()).toEqual([]);
    await db.deleteFrom('workspace_settings').execute();
    await db.updateTable('token_permissions').set({ group_name: 'admins' }).execute();
    expect(await refused()).toEqual([]);
    await db.updateTable('token_permissions').set({ group_name: 'users' }).execute();
  });
});

describe('scopes', () => {
  // The example requests change token permissions and create users.
  afterAll(async () => {
    const { db } = service.database;
    await db.deleteFrom('token_permissions').execute();
    await db.insertInto('token_permissions').values({ group_name: 'users' }).execute();
    await db.deleteFrom('workspace_settings').execute();
  });

  test('spec 5.6: every operation belongs to a known scope', () => {
    expect(operations.filter(({ scope }) => !scopeNames.includes(scope)).map(({ path }) => path)).toEqual([]);
  });

  test.each(scopeNames)(
    'spec 5.6: %s permits its own operations; other operations are refused with the missing scope',
    async (scope) => {
      expect(
        await wrong(async (operation) => {
          const answer = await call(operation, scoped.get(scope));
          const missing = `Provided access token does not have required scopes: ${operation.scope}`;
          if (scope !== 'all-apis' && scope !== operation.scope && operation.anyScope !== true)
            return is(answer, 403, missing);
          // All other answers of 403 are impossible: the user is an administrator.
          return answer.status === 403 || answer.status === 401 || answer.status >= 500
            ? `${answer.status} ${answer.message}`
            : undefined;
        }),
      ).toEqual([]);
    },
  );
});

describe('users', () => {
  test('operations of administrators are refused for other users', async () => {
    const forAdmins = operations.filter(({ adminsOnly }) => adminsOnly === true);
    expect(forAdmins.length).toBeGreaterThan(10);
    expect(
      await wrong(
        async (operation) =>
          is(
            await call(operation, people.get('IS_OWNER')),
            403,
            'This operation is for administrators; user IS_OWNER is not an administrator.',
          ),
        forAdmins,
      ),
    ).toEqual([]);
  });

  const onJobs = (operation: Operation): boolean => typeof operation.access === 'object';

  test.each(['stranger', ...permissionLevels])(
    '%s may call exactly the operations that the level permits',
    async (name) => {
      const level = permissionLevels.find((one) => one === name);
      expect(
        await wrong(async (operation) => {
          const { access } = operation;
          if (typeof access !== 'object') return undefined;
          const run = await service.send({
            method: 'POST',
            url: '/api/2.0/jobs/run-now',
            headers: { authorization: `Bearer ${adminToken}` },
            payload: { job_id: jobId },
          });
          const fields = access.idField === 'job_id' ? { job_id: jobId } : { run_id: idFrom(run, 'run_id') };
          // Deleting the job would break the remaining requests.
          if (
            operation.path === '/jobs/delete' &&
            level !== undefined &&
            hasPermission([level], access.level)
          )
            return undefined;
          const answer = await call(operation, people.get(name), fields);
          const denied = new RegExp(`^User ${name} does not have .* permissions on job ${jobId}$`);
          if (level === undefined || !hasPermission([level], access.level)) return is(answer, 403, denied);
          return denied.test(answer.message ?? '') ? `${answer.status} ${answer.message}` : undefined;
        }, operations.filter(onJobs)),
      ).toEqual([]);
    },
  );
});

test('GET token-scopes lists every operation exactly once, and all of them under all-apis', async () => {
  const answer = await app.inject({
    url: '/api/2.0/token-scopes',
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const listed: readonly { readonly name: string; readonly operations: readonly string[] }[] =
    answer.json().scopes;
  expect(listed.map(({ name }) => name)).toEqual(scopeNames);
  const named = operations.map(({ method, path, versions: [version] }) => `${method} /api/${version}${path}`);
  expect(listed.find(({ name }) => name === 'all-apis')?.operations).toEqual(named);
  expect(
    listed
      .filter(({ name }) => name !== 'all-apis')
      .flatMap((scope) => scope.operations)
      .toSorted(),
  ).toEqual(named.toSorted());
});
