/**
 * Parsers of setting values: each takes text (from a variable) or JSON (from the file) and states its rule.
 */
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { defaultLimits, type LimitName, type Limits } from '../../engine/limits.ts';
import { nearestName } from '../../engine/validation/nearest-name.ts';
import type { TaskLimits } from '../../runners/process/isolation.ts';
import type { PluginSource } from '../../runners/plugin/plugin-source.ts';
import { isEmailAddress } from '../../engine/validation/email-address.ts';

/** Invalid value. The message completes a sentence that begins with the name of the setting. */
export class ValueError extends Error {}

/** `directory` is the base of relative paths. Throws ValueError. */
export type ParseValue<Value> = (given: unknown, directory: string) => Value;

export function integerBetween(minimum: number, maximum: number): ParseValue<number> {
  return (given) => {
    const value = typeof given === 'string' && /^\d+$/.test(given.trim()) ? Number(given) : given;
    if (isIntegerBetween(value, minimum, maximum)) return value;
    throw createValueError(`a whole number from ${minimum} to ${maximum}`, given);
  };
}

function isIntegerBetween(value: unknown, minimum: number, maximum: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
}

const booleans = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['0', false],
]);

export const parseBoolean: ParseValue<boolean> = (given) => {
  const value = booleans.get(given);
  if (value === undefined) throw createValueError('true or false', given);
  return value;
};

export function oneOfValues<const Choice extends string>(choices: readonly Choice[]): ParseValue<Choice> {
  return (given) => {
    const found = choices.find((choice) => choice === given);
    if (found === undefined) throw createValueError(`one of ${choices.join(', ')}`, given);
    return found;
  };
}

export const parsePath: ParseValue<string> = (given, directory) => {
  if (typeof given !== 'string' || given.includes('\0')) throw createValueError('a path', given);
  return resolve(directory, given);
};

/** Accepts absolute paths only: a boundary must not move with the working directory. */
export const parseAbsolutePaths: ParseValue<readonly string[]> = (given) => {
  const entries: readonly unknown[] =
    typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : toList(given);
  return entries.map((entry) => {
    if (typeof entry === 'string' && isAbsolute(entry) && !entry.includes('\0')) return resolve(entry);
    throw createValueError('a list of absolute paths (in a variable: separated by commas)', entry);
  });
};

function toList(given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw createValueError('a list of absolute paths', given);
  return given;
}

/** Parses modules and packages, each with the directory to resolve it from. */
export const parsePluginSources: ParseValue<readonly PluginSource[]> = (given, directory) => {
  const entries: readonly unknown[] =
    typeof given === 'string'
      ? given.split(',').map((entry) => entry.trim())
      : Array.isArray(given)
        ? given
        : [undefined];
  return entries.map((specifier) => {
    if (typeof specifier === 'string' && specifier !== '' && !specifier.includes('\0'))
      return { specifier, baseDirectory: resolve(directory) };
    throw createValueError(
      'a list of paths or package names (in a variable: separated by commas)',
      specifier ?? given,
    );
  });
};

/** Parses names of Python modules. */
export const parseModuleNames: ParseValue<readonly string[]> = (given) => {
  const entries: readonly unknown[] =
    typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : toList(given);
  return entries.map((entry) => {
    if (typeof entry === 'string' && /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(entry)) return entry;
    throw createValueError(
      'a list of Python modules such as numpy,pandas (in a variable: separated by commas)',
      entry,
    );
  });
};

/** Parses addresses, and networks in CIDR notation. */
export const parseNetworks: ParseValue<readonly string[]> = (given) => {
  const entries: readonly unknown[] =
    typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : toList(given);
  return entries.map((entry) => {
    const [address = '', bits, ...more] = typeof entry === 'string' ? entry.split('/') : [];
    const maximumBits = isIP(address) === 4 ? 32 : 128;
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maximumBits);
    if (typeof entry === 'string' && isIP(address) !== 0 && fits && more.length === 0) return entry;
    throw createValueError('a list of IP addresses or networks such as 10.0.0.0/8', entry);
  });
};

export const parseHost: ParseValue<string> = (given) => {
  if (typeof given === 'string' && (isIP(given) !== 0 || /^[a-z\d_-]+(\.[a-z\d_-]+)*\.?$/i.test(given)))
    return given;
  throw createValueError('a host name or an IP address, without scheme and port', given);
};

/** Parses a URL and removes trailing slashes. */
export const parsePublicUrl: ParseValue<string> = (given) => {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  const web = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !web || url.search !== '' || url.hash !== '')
    throw createValueError('an http or https URL without query', given);
  return url.href.replace(/\/+$/, '');
};

/** The message never shows the value, which holds a password. */
export const parseDatabaseUrl: ParseValue<string> = (given) => {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (typeof given === 'string' && (url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'))
    return given;
  throw new ValueError(
    'must be a URL such as postgres://user:password@host:5432/database (its value is not shown here)',
  );
};

/** The message never shows the value, which may hold a password. */
export const parseSmtpUrl: ParseValue<string> = (given) => {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  const mail = url?.protocol === 'smtp:' || url?.protocol === 'smtps:';
  const bare = url !== null && ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '';
  if (
    typeof given === 'string' &&
    mail &&
    bare &&
    url.hostname !== '' &&
    isDecodable(url.username + url.password)
  )
    return given;
  throw new ValueError(
    'must be a URL such as smtp://user:password@host:587 or smtps://user:password@host:465, with % codes for special characters (its value is not shown here)',
  );
};

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Accepts `ops@example.org` and `Runyard <ops@example.org>`. */
export const parseMailFrom: ParseValue<string> = (given) => {
  const [, name = '', inBrackets, alone] =
    typeof given === 'string' ? (/^(?:([^<>"\p{Cc}]*)<([^<>]+)>|([^<>]+))$/u.exec(given.trim()) ?? []) : [];
  if (typeof given === 'string' && isEmailAddress((inBrackets ?? alone ?? '').trim()) && !name.includes('@'))
    return given.trim();
  throw createValueError('a mail address, or a name with the address in angle brackets', given);
};

/** The message never shows the value. */
export const parseSecretToken: ParseValue<string> = (given) => {
  if (typeof given === 'string' && /^[!-~]{8,256}$/.test(given)) return given;
  throw new ValueError(
    'must be 8 to 256 visible ASCII characters without a space (its value is not shown here)',
  );
};

/** Accepts the names that operating systems allow for users. */
export const parseUserName: ParseValue<string> = (given) => {
  if (typeof given === 'string' && /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(given)) return given;
  throw createValueError('the name of a user of this machine', given);
};

const taskLimitNames = ['memoryMb', 'cpuSeconds', 'openFiles', 'processes'] as const;

/** Parses the resource limits of task processes. */
export const parseTaskLimits: ParseValue<TaskLimits> = (given) => {
  const wanted = typeof given === 'string' ? parseJson(given) : given;
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    throw createValueError('a JSON object such as {"memoryMb": 4096}', given);
  for (const [name, value] of Object.entries(wanted)) {
    if (!taskLimitNames.some((known) => known === name))
      throw new ValueError(
        `has an unknown limit ${quoteValue(name)}; known limits are ${taskLimitNames.join(', ')}`,
      );
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
      throw new ValueError(
        `has ${quoteValue(value)} for ${name}, which must be a whole number of at least 1`,
      );
  }
  return wanted;
};

/** The message never shows the value. */
export const parseSecretText: ParseValue<string> = (given) => {
  if (typeof given === 'string' && /^[!-~]{1,1024}$/.test(given)) return given;
  throw new ValueError('must be visible ASCII characters without a space (its value is not shown here)');
};

/** Parses variables by name. The message never shows their values, which may hold passwords. */
export const parseEnvironmentVariables: ParseValue<Readonly<Record<string, string>>> = (given) => {
  const wanted = typeof given === 'string' ? parseJson(given) : given;
  const entries: [string, unknown][] =
    typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)
      ? Object.entries(wanted)
      : [['', undefined]];
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (/^[A-Za-z_]\w*$/.test(name) && typeof value === 'string' && !value.includes('\0'))
        return [name, value];
      throw new ValueError(
        'must be a JSON object of variables and their texts, such as {"HTTPS_PROXY": "http://proxy:3128"} (its value is not shown here)',
      );
    }),
  );
};

/** Parses limits by name; the others keep their defaults. */
export const parseLimits: ParseValue<Limits> = (given) => {
  const wanted = typeof given === 'string' ? parseJson(given) : given;
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    throw createValueError('a JSON object such as {"savedJobs": 100}', given);
  }
  const lowered = Object.entries(wanted).map(([name, value]) => [
    parseLimitName(name),
    parseLimitValue(name, value),
  ]);
  return { ...defaultLimits, ...Object.fromEntries(lowered) };
};

function parseLimitName(name: string): LimitName {
  const names = Object.keys(defaultLimits);
  if (isLimitName(name)) return name;
  throw new ValueError(
    `has an unknown limit ${JSON.stringify(name)}; the nearest known one is ${nearestName(name, names)}`,
  );
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(defaultLimits, name);
}

/**
 * Accepts stricter limits only: the defaults are those that the API promises. Limits whose name ends in Min
 * are lower bounds.
 */
function parseLimitValue(name: string, value: unknown): number {
  const known = defaultLimits[parseLimitName(name)];
  const [minimum, maximum] = name.endsWith('Min') ? [known, Number.MAX_SAFE_INTEGER] : [1, known];
  if (isIntegerBetween(value, minimum, maximum)) return value;
  const rule = name.endsWith('Min')
    ? `a whole number of at least ${minimum}`
    : `a whole number from ${minimum} to ${maximum}: limits can only be lowered`;
  throw new ValueError(`has ${quoteValue(value)} for ${name}, which must be ${rule}`);
}

/** Parses JSON; returns undefined for invalid text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Creates an error with the rule and the given value. */
export function createValueError(rule: string, given: unknown): ValueError {
  return new ValueError(`must be ${rule}, not ${quoteValue(given)}`);
}

/** Renders a value as JSON, which is always one line. */
function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`;
}
