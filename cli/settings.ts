/** The table of settings: the variable of each, how its value is read, its default, and what it is for. */
import { defaultInventory } from '../engine/cluster/inventory.ts';
import type { ClusterFault } from '../engine/cluster/faults.ts';
import { defaultLimits } from '../engine/limits.ts';
import type { TaskLimits } from '../runners/process/isolation.ts';
import type { PluginSource } from '../runners/plugin/plugin-place.ts';
import {
  absolutePaths,
  databaseUrl,
  host,
  limits,
  mailFrom,
  networks,
  oneOf,
  path,
  pluginPlaces,
  publicUrl,
  secretText,
  secretToken,
  smtpUrl,
  taskLimits,
  textsByName,
  userName,
  wholeNumber,
  yesOrNo,
  type ReadValue,
} from './setting-values.ts';
import { faults, inventory } from './cluster-settings.ts';

export interface Setting<Value> {
  readonly variable: string;
  readonly read: ReadValue<Value>;
  /** What stands for the value where none is given; read by `read` like any other. */
  readonly otherwise: Value;
  /** The default in words, where the value does not say enough. */
  readonly otherwiseInWords?: string;
  readonly description: string;
}

/** Keeps the type of a row's value. */
function row<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const taskSandboxes = ['none', 'bubblewrap'] as const;
const day = 24 * 60 * 60 * 1_000;

/** Every setting. The key in `runyard.json` is the variable in lower case, without `runyard_`. */
export const settings = {
  host: row({
    variable: 'RUNYARD_HOST',
    read: host,
    otherwise: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 for every network of this machine.',
  }),
  port: row({
    variable: 'RUNYARD_PORT',
    read: wholeNumber(0, 65_535),
    otherwise: 8080,
    description: 'Port to listen on; 0 picks a free one and prints it.',
  }),
  publicUrl: row<string | undefined>({
    variable: 'RUNYARD_PUBLIC_URL',
    read: publicUrl,
    otherwise: undefined,
    otherwiseInWords: 'host and port',
    description: 'Address under which people reach the service; it begins the links to runs.',
  }),
  dataDirectory: row({
    variable: 'RUNYARD_DATA_DIR',
    read: path,
    otherwise: '.runyard',
    description: 'Directory of everything that is kept: database, workspace, files, logs of runs.',
  }),
  databaseUrl: row<string | undefined>({
    variable: 'DATABASE_URL',
    read: databaseUrl,
    otherwise: undefined,
    otherwiseInWords: 'embedded PostgreSQL',
    description: 'PostgreSQL server to use instead of the embedded one.',
  }),
  bootstrapToken: row<string | undefined>({
    variable: 'RUNYARD_BOOTSTRAP_TOKEN',
    read: secretToken,
    otherwise: undefined,
    otherwiseInWords: 'generated',
    description:
      'Token of the first administrator; a generated one is printed once and kept in the data directory.',
  }),
  allowedRoots: row<readonly string[]>({
    variable: 'RUNYARD_ALLOWED_ROOTS',
    read: absolutePaths,
    otherwise: [],
    otherwiseInWords: 'none',
    description:
      'Directories outside the data directory whose files tasks may name; with commas between them.',
  }),
  limits: row({
    variable: 'RUNYARD_LIMITS',
    read: limits,
    otherwise: defaultLimits,
    otherwiseInWords: 'those of the interface',
    description: 'JSON object of limits to lower, such as {"savedJobs": 100}.',
  }),
  logBytesMax: row({
    variable: 'RUNYARD_LOG_BYTES_MAX',
    read: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    otherwise: 2 ** 30,
    otherwiseInWords: '1 GiB',
    description:
      'What is kept of stdout and of stderr of an attempt, in bytes: of a longer one the middle is left out.',
  }),
  logLevel: row<(typeof logLevels)[number]>({
    variable: 'RUNYARD_LOG_LEVEL',
    read: oneOf(logLevels),
    otherwise: 'info',
    description: `What the service logs: ${logLevels.join(', ')}.`,
  }),
  metricsOpen: row({
    variable: 'RUNYARD_METRICS_OPEN',
    read: yesOrNo,
    otherwise: false,
    description: 'Serves /metrics without a token.',
  }),
  jobAccessControl: row({
    variable: 'RUNYARD_JOB_ACCESS_CONTROL',
    read: yesOrNo,
    otherwise: false,
    description:
      'Lets people do with a job only what their permissions on it allow; administrators may do everything.',
  }),
  tlsCert: row<string | undefined>({
    variable: 'RUNYARD_TLS_CERT',
    read: path,
    otherwise: undefined,
    otherwiseInWords: 'none: plain HTTP',
    description:
      'File with the certificate (PEM, with its chain) that the service is served with over TLS; read at the start.',
  }),
  tlsKey: row<string | undefined>({
    variable: 'RUNYARD_TLS_KEY',
    read: path,
    otherwise: undefined,
    otherwiseInWords: 'none',
    description: 'File with the key of the certificate (PEM).',
  }),
  trustedProxies: row<readonly string[]>({
    variable: 'RUNYARD_TRUSTED_PROXIES',
    read: networks,
    otherwise: [],
    otherwiseInWords: 'none',
    description:
      'Addresses or networks (10.0.0.0/8) of proxies in front, with commas between them; their X-Forwarded-For and X-Forwarded-Proto are believed.',
  }),
  plugins: row<readonly PluginSource[]>({
    variable: 'RUNYARD_PLUGINS',
    read: pluginPlaces,
    otherwise: [],
    otherwiseInWords: 'none',
    description: 'Task kinds of your own: paths of modules or names of packages, with commas between them.',
  }),
  taskLimits: row<TaskLimits>({
    variable: 'RUNYARD_TASK_LIMITS',
    read: taskLimits,
    otherwise: {},
    otherwiseInWords: 'those of node types',
    description:
      'JSON object of what each process of a task may use: memoryMb, cpuSeconds, openFiles, processes.',
  }),
  taskUser: row<string | undefined>({
    variable: 'RUNYARD_TASK_USER',
    read: userName,
    otherwise: undefined,
    otherwiseInWords: 'that of the service',
    description: 'User of the operating system that tasks run as; needs a service that runs as root.',
  }),
  taskSandbox: row<(typeof taskSandboxes)[number]>({
    variable: 'RUNYARD_TASK_SANDBOX',
    read: oneOf(taskSandboxes),
    otherwise: 'none',
    description:
      'What tasks are shut into: none, or bubblewrap, which shows them the system read-only and of the service their own files.',
  }),
  clusterStartMs: row({
    variable: 'RUNYARD_CLUSTER_START_MS',
    read: wholeNumber(0, day),
    otherwise: 0,
    description: 'Milliseconds that a simulated cluster takes to start.',
  }),
  clusters: row({
    variable: 'RUNYARD_CLUSTERS',
    read: inventory,
    otherwise: defaultInventory,
    otherwiseInWords: 'nodes without end',
    description: 'JSON object of what clusters are made of: nodes, pools, policies, node types, runtimes.',
  }),
  clustersStrict: row({
    variable: 'RUNYARD_CLUSTERS_STRICT',
    read: yesOrNo,
    otherwise: false,
    description: 'Refuses an existing_cluster_id that names no cluster, or one that is terminated.',
  }),
  faults: row<readonly ClusterFault[]>({
    variable: 'RUNYARD_FAULTS',
    read: faults,
    otherwise: [],
    otherwiseInWords: 'none',
    description: 'JSON list of faults that strike clusters on purpose, for tests; said at every start.',
  }),
  stopGraceMs: row({
    variable: 'RUNYARD_STOP_GRACE_MS',
    read: wholeNumber(0, day),
    otherwise: 10_000,
    description: 'Milliseconds that a task has to end by itself when it is stopped.',
  }),
  leaseMs: row({
    variable: 'RUNYARD_LEASE_MS',
    read: wholeNumber(100, day),
    otherwise: 15_000,
    description: 'Milliseconds after which another engine takes over the runs of one that is silent.',
  }),
  poolThreads: row({
    variable: 'RUNYARD_POOL_THREADS',
    read: wholeNumber(1, 64),
    otherwise: 2,
    description: 'Threads that look after tasks.',
  }),
  attemptsPerThread: row({
    variable: 'RUNYARD_ATTEMPTS_PER_THREAD',
    read: wholeNumber(1, 10_000),
    otherwise: 500,
    description: 'Tasks that one thread looks after at a time.',
  }),
  libraryEnvironment: row<Readonly<Record<string, string>>>({
    variable: 'RUNYARD_LIBRARY_ENV',
    read: textsByName,
    otherwise: {},
    otherwiseInWords: 'none',
    description:
      'JSON object of environment variables for the installers of libraries, such as {"PIP_INDEX_URL": "https://..."}.',
  }),
  objstoreEndpoint: row<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_ENDPOINT',
    read: publicUrl,
    otherwise: undefined,
    otherwiseInWords: 'objstore is a directory',
    description: 'S3-compatible server behind objstore://bucket/path.',
  }),
  objstoreAccessKey: row<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_ACCESS_KEY',
    read: secretText,
    otherwise: undefined,
    otherwiseInWords: 'none',
    description: 'Access key for it.',
  }),
  objstoreSecretKey: row<string | undefined>({
    variable: 'RUNYARD_OBJSTORE_SECRET_KEY',
    read: secretText,
    otherwise: undefined,
    otherwiseInWords: 'none',
    description: 'Secret key for it.',
  }),
  objstoreRegion: row({
    variable: 'RUNYARD_OBJSTORE_REGION',
    read: host,
    otherwise: 'us-east-1',
    description: 'Region that its requests are signed for.',
  }),
  smtpUrl: row<string | undefined>({
    variable: 'RUNYARD_SMTP_URL',
    read: smtpUrl,
    otherwise: undefined,
    otherwiseInWords: 'mails are kept as files',
    description:
      'Mail server, as smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465.',
  }),
  mailFrom: row<string | undefined>({
    variable: 'RUNYARD_MAIL_FROM',
    read: mailFrom,
    otherwise: undefined,
    otherwiseInWords: 'Runyard <runyard@host>',
    description: 'Sender of mails: an address, or a name with the address in angle brackets.',
  }),
  mailsPerSecond: row({
    variable: 'RUNYARD_MAILS_PER_SECOND',
    read: wholeNumber(1, 1_000),
    otherwise: 10,
    description: 'Mails that are handed to the mail server within a second, at most.',
  }),
  webhookAllowPrivate: row({
    variable: 'RUNYARD_WEBHOOK_ALLOW_PRIVATE',
    read: yesOrNo,
    otherwise: false,
    description: 'Lets webhooks be sent to private, local and link-local addresses.',
  }),
} satisfies Record<string, Setting<unknown>>;

/** Variable of the settings file; no setting itself. */
export const fileVariable = 'RUNYARD_CONFIG';

/**
 * Settings that are described but come with a later version: refused, because ignoring them would surprise.
 */
export const laterVariables = [] as const;

/** The key in the settings file of a variable. */
export function keyOf(variable: string): string {
  return variable.toLowerCase().replace(/^runyard_/, '');
}

/** The table in words, one setting a line: what `runyard serve --help` shows below its options. */
export function settingsHelp(): string {
  const lines = rowsInWords();
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
export function settingsTable(): string[] {
  const rows = rowsInWords().map(([variable = '', otherwise = '', text = '']) => {
    const key = variable === fileVariable ? '' : `\`${keyOf(variable)}\``;
    return `| \`${variable}\` | ${key} | ${otherwise} | ${text} |`;
  });
  return ['| Variable | Key in the file | Default | Meaning |', '|---|---|---|---|', ...rows];
}

/** Variable, default and description of each setting, and of the settings file. */
function rowsInWords(): string[][] {
  const rows = Object.values(settings).map((setting) => [
    setting.variable,
    defaultOf(setting),
    setting.description,
  ]);
  return [
    ...rows,
    [
      fileVariable,
      './runyard.json',
      'Settings file (JSON); its keys are these names in lower case without "runyard_".',
    ],
  ];
}

function defaultOf(setting: { otherwise: unknown; otherwiseInWords?: string }): string {
  return setting.otherwiseInWords ?? String(setting.otherwise);
}
