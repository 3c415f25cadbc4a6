/**
 * `runyard user` and `runyard token create` as people use them: processes of their own against a running
 * service.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../../harness/api-client.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { runCommand } from './cli-process.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
});
afterAll(() => runyard.stop());

const runyardSays = (...words: string[]) =>
  runCommand(words, runyard.dataDirectory, { RUNYARD_URL: runyard.url, RUNYARD_TOKEN: runyard.token });
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });

test('a user is added, gets a token, is switched off and on, promoted, and removed', async () => {
  const { stdout: id } = await runyardSays(
    'user',
    'add',
    'ada@example.org',
    '--display-name',
    'Ada',
    '--email',
    'ada@example.org',
  );
  expect(id).toMatch(/^\d+\n$/);
  const { stdout: value, stderr } = await runyardSays(
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
  expect(stderr).toMatch(/^Token [0-9a-f]{64}\. Its value is shown this once\.\n$/);
  const ada = createApiClient(runyard.url, value.trim());
  expect((await ada.callOk('GET', '2.0/preview/scim/v2/Me')).userName).toBe('ada@example.org');
  expect((await ada.call('GET', '2.1/jobs/list')).status).toBe(200);
  expect((await ada.call('GET', '2.0/nodes')).body.message).toBe(
    'Provided access token does not have required scopes: clusters',
  );
  expect(await runyardSays('user', 'deactivate', 'ada@example.org')).toEqual(done(''));
  expect(await runyardSays('user', 'list')).toEqual(
    done(`1  admin  (administrator)\n${id.trim()}  ada@example.org  (switched off)\n`),
  );
  expect((await ada.call('GET', '2.1/jobs/list')).body.message).toBe('Invalid access token.');
  expect(await runyardSays('user', 'activate', 'ada@example.org')).toEqual(done(''));
  expect(await runyardSays('user', 'promote', 'ada@example.org')).toEqual(done(''));
  expect((await runyardSays('user', 'list')).stdout).toContain('ada@example.org  (administrator)\n');
  expect(await runyardSays('user', 'demote', 'ada@example.org')).toEqual(done(''));
  expect(await runyardSays('user', 'remove', 'ada@example.org')).toEqual(done(''));
  expect((await ada.call('GET', '2.1/jobs/list')).body.message).toBe('Invalid access token.');
  expect(await runyardSays('user', 'remove', 'ada@example.org')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'runyard: There is no user ada@example.org.\n',
  });
});

test('what cannot be done is said in the words of the service', async () => {
  expect((await runyardSays('user', 'demote', 'admin')).stderr).toBe(
    'runyard: The service refused: admin is the last active administrator; make another user an administrator first.\n',
  );
  expect((await runyardSays('token', 'create', '--user', 'nobody')).stderr).toBe(
    'runyard: The service refused: user_name is "nobody"; this user does not exist.\n',
  );
  expect((await runyardSays('token', 'create', '--days', 'many')).stderr).toBe(
    'runyard: --days is many; it must be a whole number of days.\n',
  );
  const { stdout } = await runyardSays('token', 'create', '--autoscope', '--comment', 'observed');
  expect(
    (await createApiClient(runyard.url, stdout.trim()).callOk('GET', '2.0/token/list')).token_infos[0],
  ).toMatchObject({ comment: 'observed', autoscope_state: 'AUTOSCOPE_STATE_RUNNING' });
});
