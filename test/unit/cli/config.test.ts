/** Tests of the sources of the configuration: defaults, settings file and variables. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, wantsPlainText, type Config } from '../../../cli/config.ts';
import { settings } from '../../../cli/settings.ts';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { createSettingsFile } from './settings-file.ts';

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
  warmImports: [],
  objstoreEndpoint: undefined,
  objstoreAccessKey: undefined,
  objstoreSecretKey: undefined,
  objstoreRegion: 'us-east-1',
  smtpUrl: undefined,
  mailFrom: undefined,
  mailsPerSecond: 10,
  diskReserveBytes: 67_108_864,
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
  ['RUNYARD_DISK_RESERVE_BYTES', '0', 'disk_reserve_bytes', 0, { diskReserveBytes: 0 }],
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
    { plugins: ['./a.mjs', 'b'].map((specifier) => ({ specifier, baseDirectory: nowhere })) },
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
  ['RUNYARD_SPARK_CACHE_DIR', '/cache', 'spark_cache_dir', '/cache', { sparkCacheDirectory: '/cache' }],
  [
    'RUNYARD_WARM_IMPORTS',
    'numpy, pandas.core',
    'warm_imports',
    ['numpy', 'pandas.core'],
    { warmImports: ['numpy', 'pandas.core'] },
  ],
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

test('an empty environment yields the defaults', () => {
  expect(readConfig({}, nowhere)).toEqual(defaults);
});

test('the cases below cover every setting', () => {
  expect([...new Set(given.map(([variable]) => variable))].sort()).toEqual(
    Object.values(settings)
      .map(({ variable }) => variable)
      .sort(),
  );
});

test.each(given)('%s=%s is parsed', (variable, text, _key, _value, expected) => {
  expect(readConfig({ [variable]: text }, nowhere)).toEqual({ ...defaults, ...expected });
});

test.each(given)(
  '%s=%s is equivalent to %s: %j in the settings file',
  async (_variable, _text, key, value, expected) => {
    const directory = await createSettingsFile({ [key]: value });
    expect(readConfig({}, directory)).toEqual({
      ...defaults,
      dataDirectory: join(directory, '.runyard'),
      ...expected,
      ...(expected.plugins && {
        plugins: expected.plugins.map((plugin) => ({ ...plugin, baseDirectory: directory })),
      }),
    });
  },
);

test('a variable overrides the file unless it is empty', async () => {
  const directory = await createSettingsFile({ port: 1, host: 'from-file', public_url: null });
  expect(readConfig({ RUNYARD_PORT: '2', RUNYARD_HOST: '' }, directory)).toMatchObject({
    port: 2,
    host: 'from-file',
    publicUrl: undefined,
  });
});

test('RUNYARD_CONFIG names the settings file, which is the base of its relative paths', async () => {
  const directory = await createSettingsFile({ data_dir: 'data' });
  expect(readConfig({ RUNYARD_CONFIG: join(directory, 'runyard.json') }, nowhere).dataDirectory).toBe(
    join(directory, 'data'),
  );
  expect(readConfig({ RUNYARD_DATA_DIR: 'data' }, nowhere).dataDirectory).toBe('/nowhere/data');
});

test('tasks inherit only the listed variables', () => {
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
  [{}, false],
  [{ NO_COLOR: '' }, false],
  [{ NO_COLOR: '1' }, true],
  [{ TERM: 'dumb' }, true],
  [{ TERM: 'xterm' }, false],
])('environment %j requests plain text: %s', (environment, wanted) => {
  expect(wantsPlainText(environment)).toBe(wanted);
});

test('variables of clients are not rejected as unknown settings', () => {
  expect(() =>
    readConfig({ RUNYARD_URL: 'http://127.0.0.1:8080', RUNYARD_TOKEN: 'x' }, '/tmp'),
  ).not.toThrow();
});
