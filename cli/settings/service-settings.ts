/** Settings of the service itself: addresses, storage, limits, logs and access. */
import { defaultLimits } from '../../engine/limits.ts';
import {
  integerBetween,
  oneOfValues,
  parseAbsolutePaths,
  parseBoolean,
  parseDatabaseUrl,
  parseHost,
  parseLimits,
  parseNetworks,
  parsePath,
  parsePublicUrl,
  parseSecretToken,
} from './parsers.ts';
import { defineSetting } from './setting.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const serviceSettings = {
  host: defineSetting({
    variable: 'RUNYARD_HOST',
    parse: parseHost,
    defaultValue: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 listens on all networks of this machine.',
  }),
  port: defineSetting({
    variable: 'RUNYARD_PORT',
    parse: integerBetween(0, 65_535),
    defaultValue: 8080,
    description: 'Port to listen on; 0 selects a free port and prints it.',
  }),
  publicUrl: defineSetting<string | undefined>({
    variable: 'RUNYARD_PUBLIC_URL',
    parse: parsePublicUrl,
    defaultValue: undefined,
    defaultDescription: 'host and port',
    description: 'Public URL of the service; links to runs begin with it.',
  }),
  dataDirectory: defineSetting({
    variable: 'RUNYARD_DATA_DIR',
    parse: parsePath,
    defaultValue: '.runyard',
    description: 'Directory of all data: database, workspace, files and run logs.',
  }),
  databaseUrl: defineSetting<string | undefined>({
    variable: 'DATABASE_URL',
    parse: parseDatabaseUrl,
    defaultValue: undefined,
    defaultDescription: 'embedded PostgreSQL',
    description: 'URL of a PostgreSQL server that replaces the embedded one.',
  }),
  bootstrapToken: defineSetting<string | undefined>({
    variable: 'RUNYARD_BOOTSTRAP_TOKEN',
    parse: parseSecretToken,
    defaultValue: undefined,
    defaultDescription: 'generated',
    description:
      'Token of the first administrator; a generated token is printed at the first start and kept in the data directory.',
  }),
  allowedRoots: defineSetting<readonly string[]>({
    variable: 'RUNYARD_ALLOWED_ROOTS',
    parse: parseAbsolutePaths,
    defaultValue: [],
    defaultDescription: 'none',
    description: 'Comma-separated directories outside the data directory whose files tasks may use.',
  }),
  limits: defineSetting({
    variable: 'RUNYARD_LIMITS',
    parse: parseLimits,
    defaultValue: defaultLimits,
    defaultDescription: 'limits of the API',
    description: 'JSON object of limits to lower, such as {"savedJobs": 100}.',
  }),
  logBytesMax: defineSetting({
    variable: 'RUNYARD_LOG_BYTES_MAX',
    parse: integerBetween(1, Number.MAX_SAFE_INTEGER),
    defaultValue: 2 ** 30,
    defaultDescription: '1 GiB',
    description:
      'Maximum size of each of stdout and stderr of an attempt, in bytes; a longer log is truncated in the middle.',
  }),
  diskReserveBytes: defineSetting({
    variable: 'RUNYARD_DISK_RESERVE_BYTES',
    parse: integerBetween(0, Number.MAX_SAFE_INTEGER),
    defaultValue: 64 * 2 ** 20,
    defaultDescription: '64 MiB',
    description:
      'Size of a reserve file in the data directory. When the disk is full, the engine gives it up to end its runs cleanly, and starts no task until there is space. 0 switches the check off.',
  }),
  logLevel: defineSetting<(typeof logLevels)[number]>({
    variable: 'RUNYARD_LOG_LEVEL',
    parse: oneOfValues(logLevels),
    defaultValue: 'info',
    description: `Log level of the service: ${logLevels.join(', ')}.`,
  }),
  metricsOpen: defineSetting({
    variable: 'RUNYARD_METRICS_OPEN',
    parse: parseBoolean,
    defaultValue: false,
    description: 'Serves /metrics without a token.',
  }),
  jobAccessControl: defineSetting({
    variable: 'RUNYARD_JOB_ACCESS_CONTROL',
    parse: parseBoolean,
    defaultValue: false,
    description:
      'Restricts users to the actions that their permissions on a job allow; administrators are not restricted.',
  }),
  tlsCert: defineSetting<string | undefined>({
    variable: 'RUNYARD_TLS_CERT',
    parse: parsePath,
    defaultValue: undefined,
    defaultDescription: 'none: plain HTTP',
    description: 'File with the TLS certificate and its chain (PEM); read at the start.',
  }),
  tlsKey: defineSetting<string | undefined>({
    variable: 'RUNYARD_TLS_KEY',
    parse: parsePath,
    defaultValue: undefined,
    defaultDescription: 'none',
    description: 'File with the private key of the certificate (PEM).',
  }),
  trustedProxies: defineSetting<readonly string[]>({
    variable: 'RUNYARD_TRUSTED_PROXIES',
    parse: parseNetworks,
    defaultValue: [],
    defaultDescription: 'none',
    description:
      'Comma-separated addresses or networks (10.0.0.0/8) of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted.',
  }),
};
