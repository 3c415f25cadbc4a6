/**
 * Expiry of tokens and auto-scoping after 23, 30 and 90 days, and tokens that expire while in use.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../api/http/app.ts';
import { createCoreOperations } from '../../api/http/operations.ts';
import { cacheTokenLookups } from '../../api/http/token-cache.ts';
import { defaultLimits } from '../../engine/limits.ts';
import {
  advanceAutoscoping,
  startObservingTokens,
  revokeUnusedTokens,
} from '../../storage/postgres/tokens/autoscope.ts';
import { isTransientError } from '../../storage/postgres/transient-errors.ts';
import { createTokenLookup } from '../../storage/postgres/tokens/token-lookup.ts';
import { pino } from 'pino';
import type { ResponseBody } from '../harness/api-client.ts';
import { startApiHarness, type ApiHarness } from '../unit/api/api-harness.ts';
import { eventually } from '../harness/eventually.ts';

const day = 86_400_000;
const start = 1_770_000_000_000;
let service: ApiHarness;
let now: number;
beforeEach(async () => {
  service = await startApiHarness();
  now = start;
});
afterEach(() => service.close());

/** Moves the clock and runs the housekeeping of tokens. */
async function passDays(days: number): Promise<void> {
  now += days * day;
  service.advanceClock(days * day);
  const { db } = service.database;
  await revokeUnusedTokens(db, now);
  await startObservingTokens(db, now);
  await advanceAutoscoping(db, now);
}

const call = async (
  token: string,
  path: string,
  method: 'GET' | 'POST' | 'PATCH' = 'GET',
  payload?: object,
): Promise<{ status: number; body: ResponseBody }> =>
  service.send({
    method,
    url: `/api/2.0/${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload !== undefined && { payload }),
  });
const create = async (request: object): Promise<{ value: string; id: string }> => {
  const { body }: { body: ResponseBody } = await service.post('2.0/token/create', request);
  return { value: body.token_value, id: body.token_info.token_id };
};
const shown = async (id: string): Promise<ResponseBody> => {
  const { body }: { body: ResponseBody } = await service.get('2.0/token-management/tokens');
  return body.token_infos.find((token: ResponseBody) => token.token_id === id);
};
const waitForInferredScopes = (id: string, scopes: readonly string[]): Promise<void> =>
  eventually(async () => expect((await shown(id)).inferred_scopes.toSorted()).toEqual(scopes));
const mails = async () =>
  (
    await service.database.db
      .selectFrom('outbox')
      .select(['event', 'recipient', 'facts'])
      .orderBy('outbox_event_id')
      .execute()
  ).map(({ event, recipient, facts }) => ({
    event,
    recipient,
    scopes: facts.token?.scopes,
    at: facts.token?.enforcementTime,
  }));
const address = async (email: string): Promise<void> => {
  await service.database.db
    .updateTable('principals')
    .set({ email })
    .where('user_name', '=', 'admin')
    .execute();
};

describe('spec 5.7: an observed token', () => {
  test('permits everything for 30 days, then its inferred scopes; mails remind seven days before and report the change', async () => {
    await address('admin@example.org');
    const { value, id } = await create({ autoscope_enabled: true, comment: 'nightly' });
    expect(await shown(id)).toMatchObject({
      autoscope_state: 'AUTOSCOPE_STATE_RUNNING',
      scopes: ['all-apis'],
      inferred_scopes: [],
    });
    expect((await call(value, 'jobs/list')).status).toBe(200);
    expect((await call(value, 'nodes')).status).toBe(200);
    expect((await call(value, 'preview/scim/v2/Me')).status).toBe(200);
    await waitForInferredScopes(id, ['clusters', 'jobs']);
    await passDays(22.9);
    expect(await mails()).toEqual([]);
    await passDays(0.1);
    const expected = {
      recipient: 'admin@example.org',
      scopes: expect.arrayContaining(['jobs', 'clusters']),
      at: start + 30 * day,
    };
    expect(await mails()).toEqual([{ ...expected, event: 'token_scopes_reminder' }]);
    await passDays(6.9);
    expect((await call(value, 'permissions/jobs/1')).status).toBe(404);
    await waitForInferredScopes(id, ['access-management', 'clusters', 'jobs']);
    await passDays(0.1);
    expect((await mails()).map(({ event }) => event)).toEqual([
      'token_scopes_reminder',
      'token_scopes_enforced',
    ]);
    expect(await shown(id)).toMatchObject({
      autoscope_state: 'AUTOSCOPE_STATE_COMPLETED',
      scopes: expect.arrayContaining(['access-management', 'clusters', 'jobs']),
    });
    expect((await call(value, 'jobs/list')).status).toBe(200);
    expect(await call(value, 'token/list')).toMatchObject({
      status: 403,
      body: { message: 'Provided access token does not have required scopes: authentication' },
    });
    await passDays(1);
    expect(await mails()).toHaveLength(2);
  });

  test('keeps all scopes for seven days after a late reminder', async () => {
    const { value, id } = await create({ autoscope_enabled: true });
    await call(value, 'jobs/list');
    await waitForInferredScopes(id, ['jobs']);
    await passDays(40);
    expect((await shown(id)).autoscope_state).toBe('AUTOSCOPE_STATE_RUNNING');
    await passDays(6.9);
    expect((await call(value, 'token/list')).status).toBe(200);
    await waitForInferredScopes(id, ['authentication', 'jobs']);
    await passDays(0.1);
    expect(await shown(id)).toMatchObject({
      autoscope_state: 'AUTOSCOPE_STATE_COMPLETED',
      scopes: ['jobs', 'authentication'],
    });
  });

  test('without use stays observed and is revoked after 90 days', async () => {
    const { value, id } = await create({ autoscope_enabled: true });
    await passDays(31);
    expect(await shown(id)).toMatchObject({
      autoscope_state: 'AUTOSCOPE_STATE_RUNNING',
      scopes: ['all-apis'],
    });
    // The token of the administrator stays in use.
    await expect
      .poll(
        async () =>
          (
            await service.database.db
              .selectFrom('tokens')
              .select('last_accessed_time')
              .where('comment', 'like', 'Token of%')
              .executeTakeFirstOrThrow()
          ).last_accessed_time,
      )
      .toBe(now);
    await passDays(59);
    expect(await shown(id)).toBeUndefined();
    expect((await call(value, 'jobs/list')).status).toBe(403);
  });

  test('leaves auto-scoping permanently when its scopes are set manually', async () => {
    await service.send({
      method: 'PATCH',
      url: '/api/2.0/workspace-conf',
      headers: { authorization: 'Bearer token-of-the-administrator' },
      payload: { enableTokenAutoscoping: 'true' },
    });
    const { value, id } = await create({ autoscope_enabled: true });
    await call(value, 'jobs/list');
    await waitForInferredScopes(id, ['jobs']);
    await call(value, `token/${id}`, 'PATCH', { token: { scopes: ['all-apis'] }, update_mask: 'scopes' });
    await passDays(23);
    await passDays(23);
    expect(await shown(id)).toMatchObject({
      autoscope_state: 'AUTOSCOPE_STATE_USER_SELECTED',
      scopes: ['all-apis'],
    });
    expect(await mails()).toEqual([]);
  });

  test('can be an existing token when administrators enable that', async () => {
    await address('admin@example.org');
    const { value, id } = await create({});
    const { id: short } = await create({ lifetime_seconds: 20 * 86_400 });
    await passDays(1);
    expect((await shown(id)).autoscope_state).toBe('AUTOSCOPE_STATE_DISABLED');
    await service.send({
      method: 'PATCH',
      url: '/api/2.0/workspace-conf',
      headers: { authorization: 'Bearer token-of-the-administrator' },
      payload: { enableTokenAutoscoping: 'true' },
    });
    await passDays(1);
    expect((await shown(id)).autoscope_state).toBe('AUTOSCOPE_STATE_RUNNING');
    expect((await shown(short)).autoscope_state).toBe('AUTOSCOPE_STATE_DISABLED');
    await call(value, 'jobs/list');
    await waitForInferredScopes(id, ['jobs']);
    await passDays(23);
    await passDays(7);
    expect(await shown(id)).toMatchObject({
      autoscope_state: 'AUTOSCOPE_STATE_BACKFILLED',
      scopes: ['jobs'],
      backfill_scopes: ['jobs'],
    });
    // The bootstrap token stays valid for recovery.
    expect((await service.get('2.0/token/list')).body['token_infos']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          comment: 'Token of the first administrator',
          scopes: ['all-apis'],
          autoscope_state: 'AUTOSCOPE_STATE_DISABLED',
        }),
      ]),
    );
  });
});

describe('spec 5.2: an unused token', () => {
  test('is valid until day 90, also without housekeeping', async () => {
    const { value } = await create({});
    service.advanceClock(90 * day - 1);
    const other = await create({});
    expect((await call(value, 'jobs/list')).status).toBe(200);
    service.advanceClock(90 * day - 1);
    expect((await call(value, 'jobs/list')).status).toBe(200);
    service.advanceClock(1);
    expect((await call(other.value, 'jobs/list')).status).toBe(403);
  });

  test('is revoked by housekeeping, with an audit entry', async () => {
    const { id } = await create({});
    await service.database.db
      .updateTable('tokens')
      .set({ last_accessed_time: start + 80 * day })
      .where('comment', 'like', 'Token of%')
      .execute();
    await passDays(90);
    expect(await shown(id)).toBeUndefined();
    expect((await service.get('2.0/audit', { action: 'revoke unused token' })).body['events']).toMatchObject([
      { user_name: 'runyard', token_id: id },
    ]);
  });
});

test.each(['nothing', 'tokens for a second'])(
  'a token that is revoked on one engine is refused by another one that remembers %s, while it is used there',
  async (memory) => {
    const log = pino({ level: 'silent' });
    const {
      database: { db },
      ports,
    } = service;
    const other = createApp({
      operations: createCoreOperations(ports),
      limits: defaultLimits,
      log,
      isTransientError: isTransientError,
      metricsOpen: false,
      workspace: ports.workspaceInfo,
      audit: () => undefined,
      auth: {
        tokens:
          memory === 'nothing'
            ? createTokenLookup(db)
            : cacheTokenLookups(createTokenLookup(db), ports.clock),
        clock: ports.clock,
        log,
      },
      metrics: { databaseQueries: () => 0, activeRuns: () => 0 },
      checkReadiness: async () => ({ ready: true }),
    });
    const { value, id } = await create({ scopes: ['jobs'] });
    const ask = async () =>
      (await other.inject({ url: '/api/2.0/jobs/list', headers: { authorization: `Bearer ${value}` } }))
        .statusCode;
    expect(await ask()).toBe(200);
    const using = Array.from({ length: 40 }, ask);
    await service.post('2.0/token/delete', { token_id: id });
    // Requests in flight may precede the revocation; every later request follows it.
    expect((await Promise.all(using)).filter((status) => status !== 200 && status !== 403)).toEqual([]);
    if (memory !== 'nothing') {
      expect(await ask()).toBe(200);
      service.advanceClock(1_000);
    }
    expect(await Promise.all(Array.from({ length: 40 }, ask))).toEqual(Array.from({ length: 40 }, () => 403));
    await other.close();
  },
);
