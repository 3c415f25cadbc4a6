/**
 * Tests of invalid settings: each is rejected with one line that names the setting, its value and the rule.
 */
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../../cli/config.ts';
import { createSettingsFile } from './settings-file.ts';

const nowhere = '/nowhere';

function rejectionMessage(environment: Record<string, string>, directory = nowhere): string {
  try {
    readConfig(environment, directory);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const message = error instanceof Error ? error.message : '';
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('readConfig accepted the settings.');
}

test.each([
  [
    'RUNYARD_HOST',
    'http://localhost',
    /^RUNYARD_HOST must be a host name or an IP address, without scheme and port, not "http:\/\/localhost"\.$/,
  ],
  ['RUNYARD_HOST', 'localhost:80', /^RUNYARD_HOST must be a host name/],
  ['RUNYARD_PORT', '65536', /^RUNYARD_PORT must be a whole number from 0 to 65535, not "65536"\.$/],
  ['RUNYARD_PORT', '80a', /not "80a"/],
  ['RUNYARD_PORT', '-1', /not "-1"/],
  ['RUNYARD_PORT', '80\n81', /not "80\\n81"/],
  [
    'RUNYARD_PUBLIC_URL',
    'jobs.example.org',
    /^RUNYARD_PUBLIC_URL must be an http or https URL without query, not/,
  ],
  ['RUNYARD_PUBLIC_URL', 'https://h/?a=1', /without query/],
  ['RUNYARD_DATA_DIR', 'a\0b', /^RUNYARD_DATA_DIR must be a path/],
  ['RUNYARD_ALLOWED_ROOTS', '/a,b', /^RUNYARD_ALLOWED_ROOTS must be a list of absolute paths .* not "b"\.$/],
  ['RUNYARD_TASK_LIMITS', '4 GB', /^RUNYARD_TASK_LIMITS must be a JSON object such as/],
  [
    'RUNYARD_TASK_LIMITS',
    '{"memory":1}',
    /^RUNYARD_TASK_LIMITS has an unknown limit "memory"; known limits are memoryMb, cpuSeconds, openFiles, processes\.$/,
  ],
  [
    'RUNYARD_TASK_LIMITS',
    '{"openFiles":0}',
    /^RUNYARD_TASK_LIMITS has 0 for openFiles, which must be a whole number of at least 1\.$/,
  ],
  ['RUNYARD_TASK_USER', 'a b', /^RUNYARD_TASK_USER must be the name of a user of this machine, not "a b"\.$/],
  [
    'RUNYARD_TASK_SANDBOX',
    'jail',
    /^RUNYARD_TASK_SANDBOX must be one of none, mounts, bubblewrap, not "jail"\.$/,
  ],
  ['RUNYARD_PLUGINS', 'a,,b', /^RUNYARD_PLUGINS must be a list of paths or package names .* not ""\.$/],
  [
    'RUNYARD_TRUSTED_PROXIES',
    '10.0.0.0/33',
    /^RUNYARD_TRUSTED_PROXIES must be a list of IP addresses or networks such as 10\.0\.0\.0\/8, not "10\.0\.0\.0\/33"\.$/,
  ],
  ['RUNYARD_TRUSTED_PROXIES', 'proxy', /not "proxy"/],
  ['RUNYARD_LIMITS', 'many', /^RUNYARD_LIMITS must be a JSON object such as/],
  ['RUNYARD_LIMITS', '[]', /must be a JSON object/],
  [
    'RUNYARD_LIMITS',
    '{"savedJob":5}',
    /^RUNYARD_LIMITS has an unknown limit "savedJob"; the nearest known one is savedJobs\.$/,
  ],
  [
    'RUNYARD_LIMITS',
    '{"savedJobs":12001}',
    /^RUNYARD_LIMITS has 12001 for savedJobs, which must be a whole number from 1 to 12000: limits can only be lowered\.$/,
  ],
  ['RUNYARD_LIMITS', '{"tasksPerJob":0}', /has 0 for tasksPerJob/],
  ['RUNYARD_LIMITS', '{"tasksPerJob":"9"}', /has "9" for tasksPerJob/],
  [
    'RUNYARD_LIMITS',
    '{"bootDiskGigabytesMin":99}',
    /has 99 for bootDiskGigabytesMin, which must be a whole number of at least 100/,
  ],
  ['RUNYARD_LOG_BYTES_MAX', '1GiB', /^RUNYARD_LOG_BYTES_MAX must be a whole number/],
  [
    'RUNYARD_LOG_LEVEL',
    'loud',
    /^RUNYARD_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"\.$/,
  ],
  ['RUNYARD_METRICS_OPEN', 'yes', /^RUNYARD_METRICS_OPEN must be true or false, not "yes"\.$/],
  ['RUNYARD_CLUSTER_START_MS', '1.5', /^RUNYARD_CLUSTER_START_MS must be/],
  ['RUNYARD_CLUSTERS', '[]', /^RUNYARD_CLUSTERS must be a JSON object such as/],
  ['RUNYARD_CLUSTERS', '{"pool":{}}', /^RUNYARD_CLUSTERS is invalid at pool: unknown field\.$/],
  [
    'RUNYARD_CLUSTERS',
    '{"pools":{"p":{"capacity":0}}}',
    /^RUNYARD_CLUSTERS is invalid at pools\.p\.capacity: must be >= 1/,
  ],
  [
    'RUNYARD_CLUSTERS',
    '{"policies":{"q":{"instance_pool_id":"p"}}}',
    /^RUNYARD_CLUSTERS has a policy "q" whose instance_pool_id is "p"; this pool does not exist\.$/,
  ],
  ['RUNYARD_FAULTS', '{}', /^RUNYARD_FAULTS must be a JSON list such as/],
  ['RUNYARD_FAULTS', '[{"fault":"fire"}]', /^RUNYARD_FAULTS is invalid at 0\.fault: /],
  ['RUNYARD_STOP_GRACE_MS', '1e3', /^RUNYARD_STOP_GRACE_MS must be/],
  ['RUNYARD_LEASE_MS', '99', /^RUNYARD_LEASE_MS must be a whole number from 100/],
  ['RUNYARD_POOL_THREADS', '0', /^RUNYARD_POOL_THREADS must be/],
  ['RUNYARD_ATTEMPTS_PER_THREAD', '0', /^RUNYARD_ATTEMPTS_PER_THREAD must be/],
  [
    'RUNYARD_MAIL_FROM',
    'no-address',
    /^RUNYARD_MAIL_FROM must be a mail address, or a name with the address in angle brackets, not "no-address"/,
  ],
  ['RUNYARD_MAIL_FROM', 'A\nBcc: x <a@x.org>', /^RUNYARD_MAIL_FROM must be a mail address/],
])('%s=%j is rejected', (variable, text, message) => {
  expect(rejectionMessage({ [variable]: text })).toMatch(message);
});

test.each([
  ['DATABASE_URL', 'mysql://me:hush-hush@h/db'],
  ['DATABASE_URL', 'hush-hush'],
  ['RUNYARD_BOOTSTRAP_TOKEN', 'hush-hush hush'],
  ['RUNYARD_BOOTSTRAP_TOKEN', 'short'],
  ['RUNYARD_BOOTSTRAP_TOKEN', 'sevenly'],
  ['RUNYARD_SMTP_URL', 'http://me:hush-hush@mail'],
  ['RUNYARD_SMTP_URL', 'smtp://me:hush-hush%@mail'],
])('the message about an invalid %s hides the value', (variable, text) => {
  expect(rejectionMessage({ [variable]: text })).toMatch(new RegExp(`^${variable} must be .*not shown here`));
  expect(rejectionMessage({ [variable]: text })).not.toMatch(/hush|short/);
});

test.each([
  ['RUNYARD_PROT', 'RUNYARD_PORT'],
  ['RUNYARD_DATADIR', 'RUNYARD_DATA_DIR'],
  ['RUNYARD_CONFIGURATION', 'RUNYARD_CONFIG'],
  ['RUNYARD_port', 'RUNYARD_PORT'],
])('the message about the unknown %s suggests %s', (variable, nearest) => {
  expect(rejectionMessage({ [variable]: '1' })).toBe(
    `${variable} is not a setting; the nearest known one is ${nearest}.`,
  );
});

test.each([
  [{ prot: 1 }, /^prot in \S+runyard\.json is not a setting; the nearest known one is port\.$/],
  [{ RUNYARD_PORT: 1 }, /^RUNYARD_PORT in \S+runyard\.json is not a setting/],
  [{ plugins: 7 }, /^plugins in \S+runyard\.json must be a list of paths or package names .* not 7\.$/],
  [{ port: 'http' }, /^port in \S+runyard\.json must be a whole number from 0 to 65535, not "http"\.$/],
  [{ port: { a: 1 } }, /not \{"a":1\}\.$/],
  [{ allowed_roots: [1] }, /^allowed_roots in .* not 1\.$/],
  [[1], /must hold one JSON object of settings\.$/],
  ['{\n"port": 1,\n}', /^The settings file \S+runyard\.json must hold JSON: /],
])('a settings file with %j is rejected', async (content, message) => {
  expect(rejectionMessage({}, await createSettingsFile(content))).toMatch(message);
});

test('a missing settings file that RUNYARD_CONFIG names is rejected', () => {
  expect(rejectionMessage({ RUNYARD_CONFIG: 'other.json' })).toBe(
    'RUNYARD_CONFIG names /nowhere/other.json, which cannot be read (ENOENT).',
  );
});
