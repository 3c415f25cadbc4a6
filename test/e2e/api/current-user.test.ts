/** Current user (SCIM Me) and the header with the workspace id. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaceHeaders } from '../../../engine/validation/aliases.ts';
import { addUser } from '../../harness/users.ts';
import { adminToken, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

let service: ApiHarness;
beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const me = (token: string) =>
  service.send({ url: '/api/2.0/preview/scim/v2/Me', headers: { authorization: `Bearer ${token}` } });

test('an administrator belongs to the group admins', async () => {
  expect(await me(adminToken)).toMatchObject({
    status: 200,
    body: {
      id: expect.stringMatching(/^\d+$/),
      userName: 'admin',
      displayName: 'admin',
      active: true,
      groups: [{ display: 'admins' }, { display: 'users' }],
    },
  });
});

test('the response has the workspace id in a header', async () => {
  expect((await me(adminToken)).headers[workspaceHeaders.answered.toLowerCase()]).toBe('17');
});

test.each(['jobs', 'sql', 'clusters'])('a token with only the scope %s is accepted', async (scope) => {
  const token = await addUser(service.database.db, `user-of-${scope}`, { scopes: [scope] });
  expect(await me(token)).toMatchObject({
    status: 200,
    body: { userName: `user-of-${scope}`, groups: [{ display: 'users' }] },
  });
});

test('a missing or unknown token is refused', async () => {
  expect((await service.send({ url: '/api/2.0/preview/scim/v2/Me' })).status).toBe(401);
  expect((await me('unknown')).status).toBe(403);
});
