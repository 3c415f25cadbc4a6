/**
 * Reads the configuration once: variables override runyard.json, which overrides the defaults. No other file
 * reads process.env.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, messageOf } from '../engine/errors.ts';
import type { ClusterFault } from '../engine/cluster/fault-injection.ts';
import type { Inventory } from '../engine/cluster/inventory.ts';
import type { Limits } from '../engine/limits.ts';
import { clientVariables, parseClientVariables, type ClientVariables } from './client/environment.ts';
import { nearestName } from '../engine/validation/nearest-name.ts';
import type { TaskLimits } from '../runners/process/isolation.ts';
import type { PluginSource } from '../runners/plugin/plugin-source.ts';
import { configFileVariable, settingKeyOf, settings } from './settings.ts';
import type { taskSandboxes } from './settings/execution-settings.ts';
import { ValueError } from './settings/parsers.ts';
import type { logLevels } from './settings/service-settings.ts';
import type { Setting } from './settings/setting.ts';

/** Configuration of the service; cli/settings/ describes each field. Times are milliseconds, sizes bytes. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string | undefined;
  /** Absolute. */
  readonly dataDirectory: string;
  readonly databaseUrl?: string | undefined;
  readonly bootstrapToken?: string | undefined;
  /** Absolute. */
  readonly allowedRoots: readonly string[];
  readonly limits: Limits;
  readonly logBytesMax: number;
  /** Size of the reserve file, bytes; 0 switches the check of the disk off. */
  readonly diskReserveBytes: number;
  readonly logLevel: (typeof logLevels)[number];
  readonly metricsOpen: boolean;
  readonly jobAccessControl: boolean;
  /** Absolute; both or none. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  /** Addresses and networks. */
  readonly trustedProxies: readonly string[];
  readonly plugins: readonly PluginSource[];
  readonly taskLimits: TaskLimits;
  readonly taskUser?: string | undefined;
  readonly taskSandbox: (typeof taskSandboxes)[number];
  readonly clusterStartMs: number;
  readonly clusters: Inventory;
  readonly clustersStrict: boolean;
  readonly faults: readonly ClusterFault[];
  readonly stopGraceMs: number;
  readonly leaseMs: number;
  readonly poolThreads: number;
  readonly attemptsPerThread: number;
  /** Variables for library installers, in addition to the environment of tasks. */
  readonly libraryEnvironment: Readonly<Record<string, string>>;
  /** Absolute; undefined: with the libraries, in the data directory. */
  readonly sparkCacheDirectory?: string | undefined;
  readonly warmImports: readonly string[];
  readonly objstoreEndpoint?: string | undefined;
  readonly objstoreAccessKey?: string | undefined;
  readonly objstoreSecretKey?: string | undefined;
  readonly objstoreRegion: string;
  readonly smtpUrl?: string | undefined;
  readonly mailFrom?: string | undefined;
  readonly mailsPerSecond: number;
  readonly webhookAllowPrivate: boolean;
  /** The variables of the service that tasks inherit. Tasks inherit no others, so no secret leaks. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
}

/** Invalid setting. The message is one line with its name, its value and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface RawSetting {
  readonly value: unknown;
  /** Variable, or key and file, for messages. */
  readonly name: string;
  /** Base directory of relative paths. */
  readonly directory: string;
}

const taskEnvironmentVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'JAVA_HOME', 'SPARK_HOME'];
const settingVariables = Object.values(settings).map((setting) => setting.variable);

/** Reads the configuration of this process. An empty variable counts as unset. @throws ConfigError */
export function readConfig(
  environment: Environment = process.env,
  directory: string = process.cwd(),
): Config {
  rejectUnknownNames(
    Object.keys(environment).filter((name) => name.startsWith('RUNYARD_')),
    [...settingVariables, configFileVariable, ...clientVariables],
    (name) => name,
    (name) => name,
  );
  const findInFile = readSettingsFile(environment, directory);
  return buildConfig(environment, directory, (variable) => {
    const value = environment[variable];
    return value === undefined || value === ''
      ? findInFile(settingKeyOf(variable))
      : { value, name: variable, directory };
  });
}

/** Reads what the environment says to a client of a service. */
export function readClientVariables(environment: Environment = process.env): ClientVariables {
  return parseClientVariables(environment);
}

/** Returns true when colours and redrawing are off (NO_COLOR) or not possible (a dumb terminal). */
export function wantsPlainText(environment: Environment = process.env): boolean {
  return (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
}

/** Builds a configuration from these variables only; ignores those of the process. @throws ConfigError */
export function createConfig(given: Environment, environment: Environment = process.env): Config {
  const directory = resolve('.');
  return buildConfig(environment, directory, (variable) => {
    const value = given[variable];
    return value === undefined ? undefined : { value, name: variable, directory };
  });
}

function buildConfig(
  environment: Environment,
  directory: string,
  find: (variable: string) => RawSetting | undefined,
): Config {
  const take = <Value>(setting: Setting<Value>): Value => parseSetting(setting, find(setting.variable));
  return {
    host: take(settings.host),
    port: take(settings.port),
    publicUrl: take(settings.publicUrl),
    dataDirectory: resolve(directory, take(settings.dataDirectory)),
    databaseUrl: take(settings.databaseUrl),
    bootstrapToken: take(settings.bootstrapToken),
    allowedRoots: take(settings.allowedRoots),
    limits: take(settings.limits),
    logBytesMax: take(settings.logBytesMax),
    diskReserveBytes: take(settings.diskReserveBytes),
    logLevel: take(settings.logLevel),
    metricsOpen: take(settings.metricsOpen),
    jobAccessControl: take(settings.jobAccessControl),
    tlsCert: take(settings.tlsCert),
    tlsKey: take(settings.tlsKey),
    trustedProxies: take(settings.trustedProxies),
    plugins: take(settings.plugins),
    taskLimits: take(settings.taskLimits),
    taskUser: take(settings.taskUser),
    taskSandbox: take(settings.taskSandbox),
    clusterStartMs: take(settings.clusterStartMs),
    clusters: take(settings.clusters),
    clustersStrict: take(settings.clustersStrict),
    faults: take(settings.faults),
    stopGraceMs: take(settings.stopGraceMs),
    leaseMs: take(settings.leaseMs),
    poolThreads: take(settings.poolThreads),
    attemptsPerThread: take(settings.attemptsPerThread),
    libraryEnvironment: take(settings.libraryEnvironment),
    warmImports: take(settings.warmImports),
    sparkCacheDirectory: take(settings.sparkCacheDirectory),
    objstoreEndpoint: take(settings.objstoreEndpoint),
    objstoreAccessKey: take(settings.objstoreAccessKey),
    objstoreSecretKey: take(settings.objstoreSecretKey),
    objstoreRegion: take(settings.objstoreRegion),
    smtpUrl: take(settings.smtpUrl),
    mailFrom: take(settings.mailFrom),
    mailsPerSecond: take(settings.mailsPerSecond),
    webhookAllowPrivate: take(settings.webhookAllowPrivate),
    taskEnvironment: Object.fromEntries(
      taskEnvironmentVariables.flatMap((name) => {
        const value = environment[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function parseSetting<Value>(setting: Setting<Value>, given: RawSetting | undefined): Value {
  if (given === undefined) return setting.defaultValue;
  try {
    return setting.parse(given.value, given.directory);
  } catch (error) {
    if (error instanceof ValueError) throw new ConfigError(`${given.name} ${error.message}.`);
    throw error;
  }
}

/**
 * Returns a lookup of the settings file by key. Without a file, and without a request for one, it is empty.
 */
function readSettingsFile(
  environment: Environment,
  directory: string,
): (key: string) => RawSetting | undefined {
  const requested = environment[configFileVariable] ?? '';
  const file = resolve(directory, requested === '' ? 'runyard.json' : requested);
  const text = readSettingsText(file, requested !== '');
  if (text === undefined) return () => undefined;
  const content = new Map(Object.entries(parseJsonObject(file, text)));
  rejectUnknownNames([...content.keys()], settingVariables, settingKeyOf, (key) => `${key} in ${file}`);
  return (key) => {
    const value = content.get(key);
    // In JSON, null means unset.
    return value === undefined || value === null
      ? undefined
      : { value, name: `${key} in ${file}`, directory: dirname(file) };
  };
}

function readSettingsText(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!required && codeOf(error) === 'ENOENT') return undefined;
    const source = required ? `${configFileVariable} names ${file}, which` : `The settings file ${file}`;
    throw new ConfigError(`${source} cannot be read (${codeOf(error) ?? messageOf(error)}).`);
  }
}

function parseJsonObject(file: string, text: string): object {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `The settings file ${file} must hold JSON: ${messageOf(error).replaceAll(/\s+/g, ' ')}.`,
    );
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  throw new ConfigError(`The settings file ${file} must hold one JSON object of settings.`);
}

/** `spelling` converts a variable to the form of `names`; `describe` renders a name for the message. */
function rejectUnknownNames(
  names: readonly string[],
  known: readonly string[],
  spelling: (variable: string) => string,
  describe: (name: string) => string,
): void {
  const spelled = known.map(spelling);
  for (const name of names) {
    if (spelled.includes(name)) continue;
    throw new ConfigError(
      `${describe(name)} is not a setting; the nearest known one is ${nearestName(name, spelled)}.`,
    );
  }
}
