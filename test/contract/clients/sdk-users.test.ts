/**
 * Users and tokens through the JavaScript SDK. The SDK sends PATCH without a body, so it cannot update
 * anything.
 */
import { WorkspaceClient } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/test-service.ts';

let runyard: TestService;
let client: WorkspaceClient;
beforeAll(async () => {
  runyard = await startTestService();
  client = clientWith(runyard.token);
});
afterAll(() => runyard.stop());

function clientWith(token: string): WorkspaceClient {
  return new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: token } });
}

/** Returns the first entry of a list; the SDK requests the first page of users repeatedly. */
async function first<Entry>(list: AsyncIterable<Entry>): Promise<Entry | undefined> {
  const { value, done } = await list[Symbol.asyncIterator]().next();
  return done === true ? undefined : value;
}

test('users are created, found, returned and deleted', async () => {
  const { id = '' } = await client.usersV2.create({ userName: 'ada@example.org', displayName: 'Ada' });
  expect(await first(client.usersV2.list({ filter: 'userName eq "ada@example.org"' }))).toMatchObject({
    id,
    displayName: 'Ada',
  });
  expect(await client.usersV2.get({ id })).toMatchObject({ active: true, userName: 'ada@example.org' });
  await client.usersV2.delete({ id });
  expect(await first(client.usersV2.list({ filter: 'userName eq "ada@example.org"' }))).toBeUndefined();
});

test('the first token of a service principal is created, listed and revoked', async () => {
  const { id = '', applicationId = '' } = await client.servicePrincipalsV2.create({ displayName: 'robot' });
  const { token_value: value = '', token_info: info } = await client.tokenManagement.createOboToken({
    application_id: applicationId,
    comment: 'first',
    lifetime_seconds: 3_600,
  });
  expect((await clientWith(value).currentUser.me()).userName).toBe(applicationId);
  expect(await first(client.tokenManagement.list({ created_by_username: 'admin' }))).toMatchObject({
    token_id: info?.token_id,
    comment: 'first',
  });
  await client.tokenManagement.delete({ token_id: info?.token_id ?? '' });
  await expect(clientWith(value).currentUser.me()).rejects.toThrow('Invalid access token.');
  await client.servicePrincipalsV2.delete({ id });
});

test('workspace settings and token permissions are returned', async () => {
  expect(await client.workspaceConf.getStatus({ keys: 'enableTokensConfig' })).toEqual({
    enableTokensConfig: 'true',
  });
  expect(
    (await client.tokenManagement.getPermissions()).access_control_list?.map((entry) => entry.group_name),
  ).toEqual(['users', 'admins']);
});
