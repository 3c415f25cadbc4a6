/** The table of settings: the variable of each, how its value is read, its default, and what it is for. */
import { defaultInventory } from '../engine/cluster/inventory.ts';
import type { ClusterFault } from '../engine/cluster/fault-injection.ts';
import { defaultLimits } from '../engine/limits.ts';
import type { TaskLimits } from '../runners/process/isolation.ts';
import type { PluginSource } from '../runners/plugin/plugin-source.ts';
import {
  parseAbsolutePaths,
  parseDatabaseUrl,
  parseHost,
  parseLimits,
  parseMailFrom,
  parseNetworks,
  oneOfValues,
  parsePath,
  parsePluginSources,
  parsePublicUrl,
  parseSecretText,
  parseSecretToken,
  parseSmtpUrl,
  parseTaskLimits,
  parseEnvironmentVariables,
  parseUserName,
  integerBetween,
  parseBoolean,
  type ParseValue,
} from './setting-parsers.ts';
import { parseFaults, parseInventory } from './cluster-settings.ts';

export interface Setting<Value> {
  readonly variable: string;
  readonly parse: ParseValue<Value>;
  /** What stands for the value where none is given; read by `read` like any other. */
  readonly defaultValue: Value;
  /** The default in words, where the value does not say enough. */
  readonly defaultDescription?: string;
  readonly description: string;
}

/** Keeps the type of a row's value. */
function defineSetting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const taskSandboxes = ['none', 'bubblewrap'] as const;
const day = 24 * 60 * 60 * 1_000;

/** Every setting. The key in `runyard.json` is the variable in lower case, without `runyard_`. */
export const settings = {
  host: defineSetting({
    variable: 'RUNYARD_HOST',
    parse: parseHost,
    defaultValue: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 for every network of this machine.',
  }),
  port: defineSetting({
    variable: 'RUNYARD_PORT',
    parse: integerBetween(0, 65_535),
    defaultValue: 8080,
    description: 'Port to listen on; 0 picks a free one and prints it.',
  }),
  publicUrl: defineSetting<string | undefined>({
    variable: 'RUNYARD_PUBLIC_URL',
    parse: parsePublicUrl,
    defaultValue: undefined,
    defaultDescription: 'host and port',
    description: 'Address under which people reach the service; it begins the links to runs.',
  }),
  dataDirectory: defineSetting({
    variable: 'RUNYARD_DATA_DIR',
    parse: parsePath,
    defaultValue: '.runyard',
    description: 'Directory of everything that is kept: database, workspace, files, logs of runs.',
  }),
  databaseUrl: defineSetting<string | undefined>({
    variable: 'DATABASE_URL',
    parse: parseDatabaseUrl,
    defaultValue: undefined,
    defaultDescription: 'embedded PostgreSQL',
    description: 'PostgreSQL server to use instead of the embedded one.',
  }),
  bootstrapToken: defineSetting<string | undefined>({
    variable: 'RUNYARD_BOOTSTRAP_TOKEN',
    parse: parseSecretToken,
    defaultValue: undefined,
    defaultDescription: 'generated',
    description:
      'Token of the first administrator; a generated one is printed once and kept in the data directory.',
  }),
  allowedRoots: defineSetting<readonly string[]>({
    variable: 'RUNYARD_ALLOWED_ROOTS',
    parse: parseAbsolutePaths,
    defaultValue: [],
    defaultDescription: 'none',
    description:
      'Directories outside the data directory whose files tasks may name; with commas between them.',
  }),
  limits: defineSetting({
    variable: 'RUNYARD_LIMITS',
    parse: parseLimits,
    defaultValue: defaultLimits,
    defaultDescription: 'those of the interface',
    description: 'JSON object of limits to lower, such as {"savedJobs": 100}.',
  }),
  logBytesMax: defineSetting({
    variable: 'RUNYARD_LOG_BYTES_MAX',
    parse: integerBetween(1, Number.MAX_SAFE_INTEGER),
    defaultValue: 2 ** 30,
    defaultDescription: '1 GiB',
    description:
      'What is kept of stdout and of stderr of an attempt, in bytes: of a longer one the middle is left out.',
  }),
  logLevel: defineSetting<(typeof logLevels)[number]>({
    variable: 'RUNYARD_LOG_LEVEL',
    parse: oneOfValues(logLevels),
    defaultValue: 'info',
    description: `What the service logs: ${logLevels.join(', ')}.`,
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
      'Lets people do with a job only what their permissions on it allow; administrators may do everything.',
  }),
  tlsCert: defineSetting<string | undefined>({
    variable: 'RUNYARD_TLS_CERT',
    parse: parsePath,
    defaultValue: undefined,
    defaultDescription: 'none: plain HTTP',
    description:
      'File with the certificate (PEM, with its chain) that the service is served with over TLS; read at the start.',
  }),
  tlsKey: defineSetting<string | undefined>({
    variable: 'RUNYARD_TLS_KEY',
    parse: parsePath,
    defaultValue: undefined,
    defaultDescription: 'none',
    description: 'File with the key of the certificate (PEM).',
  }),
  trustedProxies: defineSetting<readonly string[]>({
    variable: 'RUNYARD_TRUSTED_PROXIES',
    parse: parseNetworks,
    defaultValue: [],
    defaultDescription: 'none',
    description:
      'Addresses or networks (10.0.0.0/8) of proxies in front, with commas between them; their X-Forwarded-For and X-Forwarded-Proto are believed.',
  }),
  plugins: defineSetting<readonly PluginSource[]>({
    variable: 'RUNYARD_PLUGINS',
    parse: parsePluginSources,
    defaultValue: [],
    defaultDescription: 'none',
    description: 'Task kinds of your own: paths of modules or names of packages, with commas between them.',
  }),
  taskLimits: defineSetting<TaskLimits>({
    variable: 'RUNYARD_TASK_LIMITS',
    parse: parseTaskLimits,
    defaultValue: {},
    defaultDescription: 'those of node types',
    description:
      'JSON object of what each process of a task may use: memoryMb, cpuSeconds, openFiles, processes.',
  }),
  taskUser: defineSetting<string | undefined>({
    variable: 'RUNYARD_TASK_USER',
    parse: parseUserName,
    defaultValue: undefined,
    defaultDescription: 'that of the service',
    description: 'User of the operating system that tasks run as; needs a service that runs as root.',
  }),
  taskSandbox: defineSetting<(typeof taskSandboxes)[number]>({
    variable: 'RUNYARD_TASK_SANDBOX',
    parse: oneOfValues(taskSandboxes),
    defaultValue: 'none',
    description:
      'What tasks are shut into: none, or bubblewrap, which shows them the system read-only and of the service their own files.',
  }),
  clusterStartMs: defineSetting({
    variable: 'RUNYARD_CLUSTER_START_MS',
    parse: integerBetween(0, day),
    defaultValue: 0,
    description: 'Milliseconds that a simulated cluster takes to start.',
  }),
  clusters: defineSetting({
    variable: 'RUNYARD_CLUSTERS',
    parse: parseInventory,
    defaultValue: defaultInventory,
    defaultDescription: 'nodes without end',
    description: 'JSON object of what clusters are made of: nodes, pools, policies, node types, runtimes.',
  }),
  clustersStrict: defineSetting({
    variable: 'RUNYARD_CLUSTERS_STRICT',
    parse: parseBoolean,
    defaultValue: false,
    description: 'Refuses an existing_cluster_id that names no cluster, or one that is terminated.',
  }),
  faults: defineSetting<readonly ClusterFault[]>({
    variable: 'RUNYARD_FAULTS',
    parse: parseFaults,
    defaultValue: [],
    defaultDescription: 'none',
    description: 'JSON list of faults that strike clusters on purpose, for tests; said at every start.',
  }),
  stopGraceMs: defineSetting({
    variable: 'RUNYARD_STOP_GRACE_MS',
    parse: integerBetween(0, day),
    defaultValue: 10_000,
    description: 'Milliseconds that a task has to end by itself when it is stopped.',
  }),
  leaseMs: defineSetting({
    variable: 'RUNYARD_LEASE_MS',
    parse: integerBetween(100, day),
    defaultValue: 15_000,
    description: 'Milliseconds after which another engine takes over the runs of one that is silent.',
  }),
  poolThreads: defineSetting({
    variable: 'RUNYARD_POOL_THREADS',
    parse: integerBetween(1, 64),
    defaultValue: 2,
    description: 'Threads that look after tasks.',
  }),
  attemptsPerThread: defineSetting({
    variable: 'RUNYARD_ATTEMPTS_PER_THREAD',
    parse: integerBetween(1, 10_000),
    defaultValue: 500,
    description: 'Tasks that one thread looks after at a time.',
  }),
  libraryEnvironment: defineSetting<Readonly<Record<string, string>>>({
    variable: 'RUNYARD_LIBRARY_ENV',
    parse: parseEnvironmentVariables,
    defaultValue: {},
    defaultDescription: 'none',
    description:
      'JSON object of environment variables for the installers of libraries, such as {"PIP_INDEX_URL": "https://..."}.',
  }),
  objstoreEndpoint: defineSetting<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_ENDPOINT',
    parse: parsePublicUrl,
    defaultValue: undefined,
    defaultDescription: 'objstore is a directory',
    description: 'S3-compatible server behind objstore://bucket/path.',
  }),
  objstoreAccessKey: defineSetting<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_ACCESS_KEY',
    parse: parseSecretText,
    defaultValue: undefined,
    defaultDescription: 'none',
    description: 'Access key for it.',
  }),
  objstoreSecretKey: defineSetting<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_SECRET_KEY',
    parse: parseSecretText,
    defaultValue: undefined,
    defaultDescription: 'none',
    description: 'Secret key for it.',
  }),
  objstoreRegion: defineSetting({
    variable: 'RUNYARD_OBJSTORE_REGION',
    parse: parseHost,
    defaultValue: 'us-east-1',
    description: 'Region that its requests are signed for.',
  }),
  smtpUrl: defineSetting<string | undefined>({
    variable: 'RUNYARD_SMTP_URL',
    parse: parseSmtpUrl,
    defaultValue: undefined,
    defaultDescription: 'mails are kept as files',
    description:
      'Mail server, as smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465.',
  }),
  mailFrom: defineSetting<string | undefined>({
    variable: 'RUNYARD_MAIL_FROM',
    parse: parseMailFrom,
    defaultValue: undefined,
    defaultDescription: 'Runyard <runyard@host>',
    description: 'Sender of mails: an address, or a name with the address in angle brackets.',
  }),
  mailsPerSecond: defineSetting({
    variable: 'RUNYARD_MAILS_PER_SECOND',
    parse: integerBetween(1, 1_000),
    defaultValue: 10,
    description: 'Mails that are handed to the mail server within a second, at most.',
  }),
  webhookAllowPrivate: defineSetting({
    variable: 'RUNYARD_WEBHOOK_ALLOW_PRIVATE',
    parse: parseBoolean,
    defaultValue: false,
    description: 'Lets webhooks be sent to private, local and link-local addresses.',
  }),
} satisfies Record<string, Setting<unknown>>;

/** Variable of the settings file; no setting itself. */
export const configFileVariable = 'RUNYARD_CONFIG';

/**
 * Settings that are described but come with a later version: refused, because ignoring them would surprise.
 */
export const unsupportedVariables = [] as const;

/** The key in the settings file of a variable. */
export function settingKeyOf(variable: string): string {
  return variable.toLowerCase().replace(/^runyard_/, '');
}

/** The table in words, one setting a line: what `runyard serve --help` shows below its options. */
export function renderSettingsHelp(): string {
  const lines = listSettingRows();
  const width = (column: number): number => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const [name, value] = [width(0), width(1)];
  return lines
    .map(
      ([variable = '', otherwise = '', text = '']) =>
        `  ${variable.padEnd(name)}  ${otherwise.padEnd(value)}  ${text}`,
    )
    .join('\n');
}

/** The table in Markdown, line by line: the README shows exactly this. */
export function renderSettingsTable(): string[] {
  const rows = listSettingRows().map(([variable = '', otherwise = '', text = '']) => {
    const key = variable === configFileVariable ? '' : `\`${settingKeyOf(variable)}\``;
    return `| \`${variable}\` | ${key} | ${otherwise} | ${text} |`;
  });
  return ['| Variable | Key in the file | Default | Meaning |', '|---|---|---|---|', ...rows];
}

/** Variable, default and description of each setting, and of the settings file. */
function listSettingRows(): string[][] {
  const rows = Object.values(settings).map((setting) => [
    setting.variable,
    renderDefault(setting),
    setting.description,
  ]);
  return [
    ...rows,
    [
      configFileVariable,
      './runyard.json',
      'Settings file (JSON); its keys are these names in lower case without "runyard_".',
    ],
  ];
}

function renderDefault(setting: { defaultValue: unknown; defaultDescription?: string }): string {
  return setting.defaultDescription ?? String(setting.defaultValue);
}
