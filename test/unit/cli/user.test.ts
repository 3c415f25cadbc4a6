/** Tests of `runyard user` and `runyard token create` as separate processes against a running service. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../../harness/api-client.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { runCommand } from './cli-process.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
});
afterAll(() => runyard.stop());

const runRunyard = (...words: string[]) =>
  runCommand(words, runyard.dataDirectory, { RUNYARD_URL: runyard.url, RUNYARD_TOKEN: runyard.token });
const success = (stdout: string) => ({ code: 0, stdout, stderr: '' });

test('a user can be added, given a token, deactivated, activated, promoted, demoted and removed', async () => {
  const { stdout: id } = await runRunyard(
    'user',
    'add',
    'ada@example.org',
    '--display-name',
    'Ada',
    '--email',
    'ada@example.org',
  );
  expect(id).toMatch(/^\d+\n$/);
  const { stdout: value, stderr } = await runRunyard(
    'token',
    'create',
    '--user',
    'ada@example.org',
    '--days',
    '30',
    '--scopes',
    'jobs,files',
    '--comment',
    'first',
  );
  expect(value).toMatch(/^runyard_[0-9a-f]{40}\n$/);
  expect(stderr).toMatch(/^Token [0-9a-f]{64}\. Its value cannot be shown again\.\n$/);
  const ada = createApiClient(runyard.url, value.trim());
  expect((await ada.callOk('GET', '2.0/preview/scim/v2/Me')).userName).toBe('ada@example.org');
  expect((await ada.call('GET', '2.1/jobs/list')).status).toBe(200);
  expect((await ada.call('GET', '2.0/nodes')).body.message).toBe(
    'Provided access token does not have required scopes: clusters',
  );
  expect(await runRunyard('user', 'deactivate', 'ada@example.org')).toEqual(success(''));
  expect(await runRunyard('user', 'list')).toEqual(
    success(`1  admin  (administrator)\n${id.trim()}  ada@example.org  (inactive)\n`),
  );
  expect((await ada.call('GET', '2.1/jobs/list')).body.message).toContain('Invalid access token.');
  expect(await runRunyard('user', 'activate', 'ada@example.org')).toEqual(success(''));
  expect(await runRunyard('user', 'promote', 'ada@example.org')).toEqual(success(''));
  expect((await runRunyard('user', 'list')).stdout).toContain('ada@example.org  (administrator)\n');
  expect(await runRunyard('user', 'demote', 'ada@example.org')).toEqual(success(''));
  expect(await runRunyard('user', 'remove', 'ada@example.org')).toEqual(success(''));
  expect((await ada.call('GET', '2.1/jobs/list')).body.message).toContain('Invalid access token.');
  expect(await runRunyard('user', 'remove', 'ada@example.org')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'runyard: User ada@example.org does not exist.\n',
  });
});

test('a rejected command prints the error of the service', async () => {
  expect((await runRunyard('user', 'demote', 'admin')).stderr).toBe(
    'runyard: The service refused: admin is the last active administrator; make another user an administrator first.\n',
  );
  expect((await runRunyard('token', 'create', '--user', 'unknown')).stderr).toBe(
    'runyard: The service refused: user_name is "unknown"; this user does not exist.\n',
  );
  expect((await runRunyard('token', 'create', '--days', 'many')).stderr).toBe(
    'runyard: --days is many; it must be a whole number of days.\n',
  );
  const { stdout } = await runRunyard('token', 'create', '--autoscope', '--comment', 'observed');
  expect(
    (await createApiClient(runyard.url, stdout.trim()).callOk('GET', '2.0/token/list')).token_infos[0],
  ).toMatchObject({ comment: 'observed', autoscope_state: 'AUTOSCOPE_STATE_RUNNING' });
});
