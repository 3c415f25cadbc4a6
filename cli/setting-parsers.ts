/**
 * How the value of a setting is read: each kind takes text (a variable) or JSON (the file) and states its
 * rule.
 */
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { defaultLimits, type LimitName, type Limits } from '../engine/limits.ts';
import { nearestName } from '../engine/validation/nearest-name.ts';
import type { TaskLimits } from '../runners/process/isolation.ts';
import type { PluginSource } from '../runners/plugin/plugin-source.ts';
import { isEmailAddress } from '../engine/notification/address.ts';

/** What is wrong with a value, as the rest of a sentence that begins with the setting's name. */
export class ValueError extends Error {}

/** `directory`: where relative paths begin. Throws ValueError. */
export type ParseValue<Value> = (given: unknown, directory: string) => Value;

export function integerBetween(least: number, most: number): ParseValue<number> {
  return (given) => {
    const value = typeof given === 'string' && /^\d+$/.test(given.trim()) ? Number(given) : given;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw createValueError(`a whole number from ${least} to ${most}`, given);
  };
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

/** Absolute paths only: a root that moves with the working directory would be no boundary. */
export const parseAbsolutePaths: ParseValue<readonly string[]> = (given) => {
  const entries: readonly unknown[] =
    typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : toList(given);
  return entries.map((entry) => {
    if (typeof entry === 'string' && isAbsolute(entry) && !entry.includes('\0')) return resolve(entry);
    throw createValueError('a list of absolute paths (in a variable: with commas between them)', entry);
  });
};

function toList(given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw createValueError('a list of absolute paths', given);
  return given;
}

/** Modules and packages, each with the directory that it is looked for from. */
export const parsePluginSources: ParseValue<readonly PluginSource[]> = (given, directory) => {
  const entries: readonly unknown[] =
    typeof given === 'string'
      ? given.split(',').map((entry) => entry.trim())
      : Array.isArray(given)
        ? given
        : [undefined];
  return entries.map((written) => {
    if (typeof written === 'string' && written !== '' && !written.includes('\0'))
      return { specifier: written, baseDirectory: resolve(directory) };
    throw createValueError(
      'a list of paths or package names (in a variable: with commas between them)',
      written ?? given,
    );
  });
};

/** Addresses, or networks in CIDR form. */
export const parseNetworks: ParseValue<readonly string[]> = (given) => {
  const entries: readonly unknown[] =
    typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : toList(given);
  return entries.map((entry) => {
    const [address = '', bits, ...more] = typeof entry === 'string' ? entry.split('/') : [];
    const most = isIP(address) === 4 ? 32 : 128;
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (typeof entry === 'string' && isIP(address) !== 0 && fits && more.length === 0) return entry;
    throw createValueError('a list of IP addresses or networks such as 10.0.0.0/8', entry);
  });
};

export const parseHost: ParseValue<string> = (given) => {
  if (typeof given === 'string' && (isIP(given) !== 0 || /^[a-z\d_-]+(\.[a-z\d_-]+)*\.?$/i.test(given)))
    return given;
  throw createValueError('a host name or an IP address, without scheme and port', given);
};

/** The address people see, without the slash at its end. */
export const parsePublicUrl: ParseValue<string> = (given) => {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  const web = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !web || url.search !== '' || url.hash !== '')
    throw createValueError('an http or https URL without query', given);
  return url.href.replace(/\/+$/, '');
};

/** Never shown in a message: it holds a password. */
export const parseDatabaseUrl: ParseValue<string> = (given) => {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (typeof given === 'string' && (url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'))
    return given;
  throw new ValueError(
    'must be a URL such as postgres://user:password@host:5432/database (its value is not shown here)',
  );
};

/** Never shown in a message: it may hold a password. */
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

/** `ops@example.org`, or `Runyard <ops@example.org>`. */
export const parseMailFrom: ParseValue<string> = (given) => {
  const [, name = '', inBrackets, alone] =
    typeof given === 'string' ? (/^(?:([^<>"\p{Cc}]*)<([^<>]+)>|([^<>]+))$/u.exec(given.trim()) ?? []) : [];
  if (typeof given === 'string' && isEmailAddress((inBrackets ?? alone ?? '').trim()) && !name.includes('@'))
    return given.trim();
  throw createValueError('a mail address, or a name with the address in angle brackets', given);
};

/** Never shown in a message. */
export const parseSecretToken: ParseValue<string> = (given) => {
  if (typeof given === 'string' && /^[!-~]{8,256}$/.test(given)) return given;
  throw new ValueError(
    'must be 8 to 256 visible ASCII characters without a space (its value is not shown here)',
  );
};

/** A name as systems take it for a user. */
export const parseUserName: ParseValue<string> = (given) => {
  if (typeof given === 'string' && /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(given)) return given;
  throw createValueError('the name of a user of this machine', given);
};

const taskLimitNames = ['memoryMb', 'cpuSeconds', 'openFiles', 'processes'] as const;

/** What processes of tasks may use. */
export const parseTaskLimits: ParseValue<TaskLimits> = (given) => {
  const wanted = typeof given === 'string' ? parseJson(given) : given;
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    throw createValueError('a JSON object such as {"memoryMb": 4096}', given);
  for (const [name, value] of Object.entries(wanted)) {
    if (!taskLimitNames.some((known) => known === name))
      throw new ValueError(
        `names a limit ${quoteValue(name)} that does not exist; known are ${taskLimitNames.join(', ')}`,
      );
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
      throw new ValueError(
        `gives ${name} the value ${quoteValue(value)}, which must be a whole number of at least 1`,
      );
  }
  return wanted;
};

/** Never shown in a message. */
export const parseSecretText: ParseValue<string> = (given) => {
  if (typeof given === 'string' && /^[!-~]{1,1024}$/.test(given)) return given;
  throw new ValueError('must be visible ASCII characters without a space (its value is not shown here)');
};

/** Variables by name. Never shown in a message: their values may hold passwords. */
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

/** Limits by name; the others keep their defaults. */
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
    `names a limit ${JSON.stringify(name)} that does not exist; the nearest known one is ${nearestName(name, names)}`,
  );
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(defaultLimits, name);
}

/**
 * Narrower is allowed and wider is not: the defaults are what the interface promises. The limits that end in
 * Min are lower bounds.
 */
function parseLimitValue(name: string, value: unknown): number {
  const known = defaultLimits[parseLimitName(name)];
  const [least, most] = name.endsWith('Min') ? [known, Number.MAX_SAFE_INTEGER] : [1, known];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const rule = name.endsWith('Min')
    ? `a whole number of at least ${least}`
    : `a whole number from ${least} to ${most}: limits can only be lowered`;
  throw new ValueError(`gives ${name} the value ${quoteValue(value)}, which must be ${rule}`);
}

/** The value that a JSON text stands for; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong: the rule, and what was given. */
export function createValueError(rule: string, given: unknown): ValueError {
  return new ValueError(`must be ${rule}, not ${quoteValue(given)}`);
}

/** JSON, because it keeps to one line whatever the value holds. */
function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`;
}
