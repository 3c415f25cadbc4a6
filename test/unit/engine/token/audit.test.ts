/** Changes in the audit log: the fields that differ, without secrets. */
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
])('the value of %s is masked at any depth', (name) => {
  const settings = (value: string) => ({
    new_cluster: { spark_env_vars: { [name]: value, PLAIN: 'visible' } },
  });
  expect(diffFields(settings('old'), settings('new'))).toEqual({
    before: settings('***'),
    after: settings('***'),
  });
});
