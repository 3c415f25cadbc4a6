/** What the audit log keeps of a change: the fields that differ, and no secret. */
import { expect, test } from 'vitest';
import { diffFields } from '../../../../engine/token/audit.ts';

test.each([
  'password',
  'PGPASSWD',
  'SSH_PASSPHRASE',
  'AWS_SECRET_ACCESS_KEY',
  'client_secret',
  'API_TOKEN',
  'apikey',
  'API_KEY',
  'google_credentials',
  'credential',
])('the value of %s is masked, wherever it stands', (name) => {
  const settings = (value: string) => ({ new_cluster: { spark_env_vars: { [name]: value, PLAIN: 'seen' } } });
  expect(diffFields(settings('old'), settings('hush'))).toEqual({
    before: settings('***'),
    after: settings('***'),
  });
});
