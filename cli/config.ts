/**
 * Reads the configuration, once: defaults, then runyard.json, then variables. The only file that knows
 * process.env.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, messageOf } from '../engine/errors.ts';
import type { ClusterFault } from '../engine/cluster/fault-injection.ts';
import type { Inventory } from '../engine/cluster/inventory.ts';
import type { Limits } from '../engine/limits.ts';
import { nearestName } from '../engine/validation/nearest-name.ts';
import type { TaskLimits } from '../runners/process/isolation.ts';
import type { PluginSource } from '../runners/plugin/plugin-source.ts';
import { ValueError } from './setting-parsers.ts';
import {
  configFileVariable,
  settingKeyOf,
  unsupportedVariables,
  settings,
  type logLevels,
  type Setting,
  type taskSandboxes,
} from './settings.ts';

/** What the service is told; `cli/settings.ts` says what each is for. Times are milliseconds, sizes bytes. */
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
  /** What installers of libraries find beside the environment of tasks. */
  readonly libraryEnvironment: Readonly<Record<string, string>>;
  readonly objstoreEndpoint?: string | undefined;
  readonly objstoreAccessKey?: string | undefined;
  readonly objstoreSecretKey?: string | undefined;
  readonly objstoreRegion: string;
  readonly smtpUrl?: string | undefined;
  readonly mailFrom?: string | undefined;
  readonly mailsPerSecond: number;
  readonly webhookAllowPrivate: boolean;
  /** What tasks find of the service's environment: nothing else passes on, so no secret can. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
}

/** A setting that stops the start. The message is one line that names it, its value and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface RawSetting {
  readonly value: unknown;
  /** The variable, or the key and its file. */
  readonly name: string;
  /** Where relative paths begin. */
  readonly directory: string;
}

const taskEnvironmentVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'JAVA_HOME', 'SPARK_HOME'];
/**
 * What people set for clients of the service, such as the examples of the README; nothing of it is a setting.
 */
const clientVariables = ['RUNYARD_URL', 'RUNYARD_TOKEN'];
const settingVariables = Object.values(settings).map((setting) => setting.variable);

/**
 * The configuration of this process and its working directory. An empty variable counts as unset. @throws
 * ConfigError
 */
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
  const inFile = readSettingsFile(environment, directory);
  return buildConfig(environment, directory, (variable) => {
    const value = environment[variable];
    return value === undefined || value === ''
      ? inFile(settingKeyOf(variable))
      : { value, name: variable, directory };
  });
}

/**
 * Where the service is and with which token to speak to it, as far as variables say so: for commands that are
 * clients of it.
 */
export function readClientVariables(environment: Environment = process.env): {
  readonly url: string | undefined;
  readonly token: string | undefined;
} {
  const [url, token] = clientVariables.map((name) =>
    environment[name] === '' ? undefined : environment[name],
  );
  return { url, token };
}

/** True when colours and redrawing are not wanted (NO_COLOR) or not possible (a dumb terminal). */
export function wantsPlainText(environment: Environment = process.env): boolean {
  return (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
}

/** A configuration of these variables alone, whatever this process was started with. @throws ConfigError */
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

/** The settings file as a function from key to value: none when there is no file and none was asked for. */
function readSettingsFile(
  environment: Environment,
  directory: string,
): (key: string) => RawSetting | undefined {
  const asked = environment[configFileVariable] ?? '';
  const file = resolve(directory, asked === '' ? 'runyard.json' : asked);
  const text = readSettingsText(file, asked !== '');
  if (text === undefined) return () => undefined;
  const content = new Map(Object.entries(parseJsonObject(file, text)));
  rejectUnknownNames([...content.keys()], settingVariables, settingKeyOf, (key) => `${key} in ${file}`);
  return (key) => {
    const value = content.get(key);
    // null is how JSON says "unset".
    return value === undefined || value === null
      ? undefined
      : { value, name: `${key} in ${file}`, directory: dirname(file) };
  };
}

function readSettingsText(file: string, asked: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!asked && codeOf(error) === 'ENOENT') return undefined;
    const source = asked ? `${configFileVariable} names ${file}, which` : `The settings file ${file}`;
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

/** `spelling` turns a variable into the form that `names` have; `place` says where a name was found. */
function rejectUnknownNames(
  names: readonly string[],
  known: readonly string[],
  spelling: (variable: string) => string,
  place: (name: string) => string,
): void {
  const spelled = known.map(spelling);
  for (const name of names) {
    if (spelled.includes(name)) continue;
    if (unsupportedVariables.some((variable) => spelling(variable) === name)) {
      throw new ConfigError(`${place(name)} is not supported by this version: remove it.`);
    }
    throw new ConfigError(
      `${place(name)} is not a setting; the nearest known one is ${nearestName(name, spelled)}.`,
    );
  }
}
