/**
 * The configuration: where each setting comes from, and that a wrong one is refused in one line that names
 * it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig, wantsPlainText, type Config } from '../../../cli/config.ts';
import { settings } from '../../../cli/settings.ts';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createTraversableDirectory } from './cli-process.ts';

const nowhere = '/nowhere';

const defaults = {
  host: '127.0.0.1',
  port: 8080,
  publicUrl: undefined,
  dataDirectory: '/nowhere/.runyard',
  databaseUrl: undefined,
  bootstrapToken: undefined,
  allowedRoots: [],
  limits: defaultLimits,
  logBytesMax: 2 ** 30,
  logLevel: 'info',
  metricsOpen: false,
  jobAccessControl: false,
  tlsCert: undefined,
  tlsKey: undefined,
  trustedProxies: [],
  plugins: [],
  taskLimits: {},
  taskUser: undefined,
  taskSandbox: 'none',
  clusters: defaultInventory,
  clustersStrict: false,
  faults: [],
  clusterStartMs: 0,
  stopGraceMs: 10_000,
  leaseMs: 15_000,
  poolThreads: 2,
  attemptsPerThread: 500,
  libraryEnvironment: {},
  objstoreEndpoint: undefined,
  objstoreAccessKey: undefined,
  objstoreSecretKey: undefined,
  objstoreRegion: 'us-east-1',
  smtpUrl: undefined,
  mailFrom: undefined,
  mailsPerSecond: 10,
  webhookAllowPrivate: false,
  taskEnvironment: {},
} satisfies Config;

const given: readonly (readonly [
  variable: string,
  text: string,
  key: string,
  value: unknown,
  expected: Partial<Config>,
])[] = [
  ['RUNYARD_HOST', '::1', 'host', '::1', { host: '::1' }],
  ['RUNYARD_HOST', 'runyard.example.org', 'host', 'runyard.example.org', { host: 'runyard.example.org' }],
  ['RUNYARD_PORT', '0', 'port', 0, { port: 0 }],
  [
    'RUNYARD_PUBLIC_URL',
    'https://jobs.example.org/yard/',
    'public_url',
    'https://jobs.example.org/yard',
    { publicUrl: 'https://jobs.example.org/yard' },
  ],
  ['RUNYARD_DATA_DIR', '/srv/runyard', 'data_dir', '/srv/runyard', { dataDirectory: '/srv/runyard' }],
  [
    'DATABASE_URL',
    'postgres://u:p@h/db',
    'database_url',
    'postgres://u:p@h/db',
    { databaseUrl: 'postgres://u:p@h/db' },
  ],
  [
    'RUNYARD_BOOTSTRAP_TOKEN',
    'a-long-token',
    'bootstrap_token',
    'a-long-token',
    { bootstrapToken: 'a-long-token' },
  ],
  [
    'RUNYARD_ALLOWED_ROOTS',
    '/srv/a, /srv/b/',
    'allowed_roots',
    ['/srv/a', '/srv/b'],
    { allowedRoots: ['/srv/a', '/srv/b'] },
  ],
  [
    'RUNYARD_LIMITS',
    '{"savedJobs":5}',
    'limits',
    { savedJobs: 5 },
    { limits: { ...defaultLimits, savedJobs: 5 } },
  ],
  [
    'RUNYARD_LIMITS',
    '{"bootDiskGigabytesMin":200}',
    'limits',
    { bootDiskGigabytesMin: 200 },
    { limits: { ...defaultLimits, bootDiskGigabytesMin: 200 } },
  ],
  ['RUNYARD_LOG_BYTES_MAX', '1000', 'log_bytes_max', 1000, { logBytesMax: 1000 }],
  ['RUNYARD_LOG_LEVEL', 'debug', 'log_level', 'debug', { logLevel: 'debug' }],
  ['RUNYARD_METRICS_OPEN', 'true', 'metrics_open', true, { metricsOpen: true }],
  ['RUNYARD_METRICS_OPEN', '0', 'metrics_open', false, { metricsOpen: false }],
  ['RUNYARD_JOB_ACCESS_CONTROL', 'true', 'job_access_control', true, { jobAccessControl: true }],
  ['RUNYARD_TLS_CERT', '/srv/cert.pem', 'tls_cert', '/srv/cert.pem', { tlsCert: '/srv/cert.pem' }],
  ['RUNYARD_TLS_KEY', '/srv/key.pem', 'tls_key', '/srv/key.pem', { tlsKey: '/srv/key.pem' }],
  [
    'RUNYARD_TRUSTED_PROXIES',
    '10.0.0.0/8, ::1',
    'trusted_proxies',
    ['10.0.0.0/8', '::1'],
    { trustedProxies: ['10.0.0.0/8', '::1'] },
  ],
  ['RUNYARD_CLUSTER_START_MS', '250', 'cluster_start_ms', 250, { clusterStartMs: 250 }],
  ['RUNYARD_CLUSTERS_STRICT', 'true', 'clusters_strict', true, { clustersStrict: true }],
  [
    'RUNYARD_CLUSTERS',
    '{"nodes":3,"pools":{"p":{"capacity":2}},"policies":{"q":{"instance_pool_id":"p"}}}',
    'clusters',
    { nodes: 3, pools: { p: { capacity: 2 } }, policies: { q: { instance_pool_id: 'p' } } },
    {
      clusters: {
        ...defaultInventory,
        nodes: 3,
        pools: { p: { capacity: 2 } },
        policies: { q: { instance_pool_id: 'p' } },
      },
    },
  ],
  [
    'RUNYARD_FAULTS',
    '[{"fault":"loss","cluster":"etl"}]',
    'faults',
    [{ fault: 'loss', cluster: 'etl' }],
    { faults: [{ fault: 'loss', cluster: 'etl' }] },
  ],
  ['RUNYARD_STOP_GRACE_MS', '1', 'stop_grace_ms', 1, { stopGraceMs: 1 }],
  ['RUNYARD_LEASE_MS', '5000', 'lease_ms', '5000', { leaseMs: 5000 }],
  [
    'RUNYARD_PLUGINS',
    './a.mjs, b',
    'plugins',
    ['./a.mjs', 'b'],
    { plugins: ['./a.mjs', 'b'].map((written) => ({ specifier: written, baseDirectory: nowhere })) },
  ],
  [
    'RUNYARD_TASK_LIMITS',
    '{"memoryMb":512}',
    'task_limits',
    { memoryMb: 512 },
    { taskLimits: { memoryMb: 512 } },
  ],
  ['RUNYARD_TASK_USER', 'tasks', 'task_user', 'tasks', { taskUser: 'tasks' }],
  ['RUNYARD_TASK_SANDBOX', 'bubblewrap', 'task_sandbox', 'bubblewrap', { taskSandbox: 'bubblewrap' }],
  ['RUNYARD_POOL_THREADS', '4', 'pool_threads', 4, { poolThreads: 4 }],
  ['RUNYARD_ATTEMPTS_PER_THREAD', '10', 'attempts_per_thread', 10, { attemptsPerThread: 10 }],
  [
    'RUNYARD_LIBRARY_ENV',
    '{"PIP_NO_INDEX":"1"}',
    'library_env',
    { PIP_NO_INDEX: '1' },
    { libraryEnvironment: { PIP_NO_INDEX: '1' } },
  ],
  [
    'RUNYARD_OBJSTORE_ENDPOINT',
    'http://127.0.0.1:9000/',
    'objstore_endpoint',
    'http://127.0.0.1:9000',
    { objstoreEndpoint: 'http://127.0.0.1:9000' },
  ],
  ['RUNYARD_OBJSTORE_ACCESS_KEY', 'key', 'objstore_access_key', 'key', { objstoreAccessKey: 'key' }],
  [
    'RUNYARD_OBJSTORE_SECRET_KEY',
    'sec/ret+',
    'objstore_secret_key',
    'sec/ret+',
    { objstoreSecretKey: 'sec/ret+' },
  ],
  [
    'RUNYARD_OBJSTORE_REGION',
    'eu-north-1',
    'objstore_region',
    'eu-north-1',
    { objstoreRegion: 'eu-north-1' },
  ],
  [
    'RUNYARD_SMTP_URL',
    'smtps://me:p%40ss@mail.example.org:465',
    'smtp_url',
    'smtps://me:p%40ss@mail.example.org:465',
    { smtpUrl: 'smtps://me:p%40ss@mail.example.org:465' },
  ],
  [
    'RUNYARD_MAIL_FROM',
    'Jobs <jobs@example.org>',
    'mail_from',
    'Jobs <jobs@example.org>',
    { mailFrom: 'Jobs <jobs@example.org>' },
  ],
  ['RUNYARD_MAILS_PER_SECOND', '3', 'mails_per_second', 3, { mailsPerSecond: 3 }],
  ['RUNYARD_WEBHOOK_ALLOW_PRIVATE', 'true', 'webhook_allow_private', true, { webhookAllowPrivate: true }],
];

async function withFile(content: unknown): Promise<string> {
  const directory = await createTraversableDirectory();
  await writeFile(
    join(directory, 'runyard.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  return directory;
}

function refusal(environment: Record<string, string>, directory = nowhere): string {
  try {
    readConfig(environment, directory);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const message = error instanceof Error ? error.message : '';
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('It was not refused.');
}

test('nothing is needed: there is a default for everything', () => {
  expect(readConfig({}, nowhere)).toEqual(defaults);
});

test('every setting of the table is tried here', () => {
  expect([...new Set(given.map(([variable]) => variable))].sort()).toEqual(
    Object.values(settings)
      .map(({ variable }) => variable)
      .sort(),
  );
});

test.each(given)('%s=%s is read', (variable, text, _key, _value, expected) => {
  expect(readConfig({ [variable]: text }, nowhere)).toEqual({ ...defaults, ...expected });
});

test.each(given)('%s=%s may stand in the file as %s: %j', async (_variable, _text, key, value, expected) => {
  const directory = await withFile({ [key]: value });
  expect(readConfig({}, directory)).toEqual({
    ...defaults,
    dataDirectory: join(directory, '.runyard'),
    ...expected,
    ...(expected.plugins && { plugins: expected.plugins.map((place) => ({ ...place, directory })) }),
  });
});

test('a variable wins over the file, and an empty one does not', async () => {
  const directory = await withFile({ port: 1, host: 'from-file', public_url: null });
  expect(readConfig({ RUNYARD_PORT: '2', RUNYARD_HOST: '' }, directory)).toMatchObject({
    port: 2,
    host: 'from-file',
    publicUrl: undefined,
  });
});

test('RUNYARD_CONFIG names another file, whose relative paths begin beside it', async () => {
  const directory = await withFile({ data_dir: 'data' });
  expect(readConfig({ RUNYARD_CONFIG: join(directory, 'runyard.json') }, nowhere).dataDirectory).toBe(
    join(directory, 'data'),
  );
  expect(readConfig({ RUNYARD_DATA_DIR: 'data' }, nowhere).dataDirectory).toBe('/nowhere/data');
});

test('of the environment, tasks get these and nothing else', () => {
  const passed = {
    PATH: '/bin',
    HOME: '/root',
    LANG: 'C',
    LC_ALL: 'C',
    TZ: 'UTC',
    JAVA_HOME: '/java',
    SPARK_HOME: '/spark',
  };
  expect(
    readConfig({ ...passed, SECRET: 'x', DATABASE_URL: 'postgres://u:p@h/db' }, nowhere).taskEnvironment,
  ).toEqual(passed);
});

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
    /^RUNYARD_TASK_LIMITS names a limit "memory" that does not exist; known are memoryMb, cpuSeconds, openFiles, processes\.$/,
  ],
  [
    'RUNYARD_TASK_LIMITS',
    '{"openFiles":0}',
    /^RUNYARD_TASK_LIMITS gives openFiles the value 0, which must be a whole number of at least 1\.$/,
  ],
  ['RUNYARD_TASK_USER', 'a b', /^RUNYARD_TASK_USER must be the name of a user of this machine, not "a b"\.$/],
  ['RUNYARD_TASK_SANDBOX', 'jail', /^RUNYARD_TASK_SANDBOX must be one of none, bubblewrap, not "jail"\.$/],
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
    /^RUNYARD_LIMITS names a limit "savedJob" that does not exist; the nearest known one is savedJobs\.$/,
  ],
  [
    'RUNYARD_LIMITS',
    '{"savedJobs":12001}',
    /^RUNYARD_LIMITS gives savedJobs the value 12001, which must be a whole number from 1 to 12000: limits can only be lowered\.$/,
  ],
  ['RUNYARD_LIMITS', '{"tasksPerJob":0}', /tasksPerJob the value 0/],
  ['RUNYARD_LIMITS', '{"tasksPerJob":"9"}', /tasksPerJob the value "9"/],
  [
    'RUNYARD_LIMITS',
    '{"bootDiskGigabytesMin":99}',
    /bootDiskGigabytesMin the value 99, which must be a whole number of at least 100/,
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
  ['RUNYARD_CLUSTERS', '{"pool":{}}', /^RUNYARD_CLUSTERS is wrong at pool: there is no such field\.$/],
  [
    'RUNYARD_CLUSTERS',
    '{"pools":{"p":{"capacity":0}}}',
    /^RUNYARD_CLUSTERS is wrong at pools\.p\.capacity: must be >= 1/,
  ],
  [
    'RUNYARD_CLUSTERS',
    '{"policies":{"q":{"instance_pool_id":"p"}}}',
    /^RUNYARD_CLUSTERS has a policy "q" whose instance_pool_id is "p"; there is no such pool\.$/,
  ],
  ['RUNYARD_FAULTS', '{}', /^RUNYARD_FAULTS must be a JSON list such as/],
  ['RUNYARD_FAULTS', '[{"fault":"fire"}]', /^RUNYARD_FAULTS is wrong at 0\.fault: /],
  ['RUNYARD_STOP_GRACE_MS', '1e3', /^RUNYARD_STOP_GRACE_MS must be/],
  ['RUNYARD_LEASE_MS', '99', /^RUNYARD_LEASE_MS must be a whole number from 100/],
  ['RUNYARD_POOL_THREADS', '0', /^RUNYARD_POOL_THREADS must be/],
  ['RUNYARD_ATTEMPTS_PER_THREAD', '0', /^RUNYARD_ATTEMPTS_PER_THREAD must be/],
  [
    'RUNYARD_MAIL_FROM',
    'somebody',
    /^RUNYARD_MAIL_FROM must be a mail address, or a name with the address in angle brackets, not "somebody"/,
  ],
  ['RUNYARD_MAIL_FROM', 'A\nBcc: x <a@x.org>', /^RUNYARD_MAIL_FROM must be a mail address/],
])('%s=%j is refused', (variable, text, message) => {
  expect(refusal({ [variable]: text })).toMatch(message);
});

test.each([
  ['DATABASE_URL', 'mysql://me:hush-hush@h/db'],
  ['DATABASE_URL', 'hush-hush'],
  ['RUNYARD_BOOTSTRAP_TOKEN', 'hush-hush hush'],
  ['RUNYARD_BOOTSTRAP_TOKEN', 'short'],
  ['RUNYARD_BOOTSTRAP_TOKEN', 'sevenly'],
  ['RUNYARD_SMTP_URL', 'http://me:hush-hush@mail'],
  ['RUNYARD_SMTP_URL', 'smtp://me:hush-hush%@mail'],
])('a wrong %s is refused without showing it', (variable, text) => {
  expect(refusal({ [variable]: text })).toMatch(new RegExp(`^${variable} must be .*not shown here`));
  expect(refusal({ [variable]: text })).not.toMatch(/hush|short/);
});

test.each([
  ['RUNYARD_PROT', 'RUNYARD_PORT'],
  ['RUNYARD_DATADIR', 'RUNYARD_DATA_DIR'],
  ['RUNYARD_CONFIGURATION', 'RUNYARD_CONFIG'],
  ['RUNYARD_port', 'RUNYARD_PORT'],
])('%s is unknown, and %s is the nearest', (variable, nearest) => {
  expect(refusal({ [variable]: '1' })).toBe(
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
])('a settings file that holds %j is refused', async (content, message) => {
  expect(refusal({}, await withFile(content))).toMatch(message);
});

test('a settings file that was asked for must be there', () => {
  expect(refusal({ RUNYARD_CONFIG: 'other.json' })).toBe(
    'RUNYARD_CONFIG names /nowhere/other.json, which cannot be read (ENOENT).',
  );
});

test.each([
  [{}, false],
  [{ NO_COLOR: '' }, false],
  [{ NO_COLOR: '1' }, true],
  [{ TERM: 'dumb' }, true],
  [{ TERM: 'xterm' }, false],
])('with %j plain text is wanted: %s', (environment, wanted) => {
  expect(wantsPlainText(environment)).toBe(wanted);
});

test('the variables that the documentation sets for clients do not stop the service', () => {
  expect(() =>
    readConfig({ RUNYARD_URL: 'http://127.0.0.1:8080', RUNYARD_TOKEN: 'x' }, '/tmp'),
  ).not.toThrow();
});
