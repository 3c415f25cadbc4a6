/** Configuration properties of a submitted application. */
import { TaskStartError } from '../process/pinned-command.ts';

/**
 * Parses the format of spark-defaults.conf: lines with a name and a value, separated by blanks, `=` or `:`;
 * comments begin with `#` or `!`.
 */
export function parseProperties(text: string): Map<string, string> {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#!]/.test(line));
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([^\s=:]+)(?:\s*[=:]\s*|\s+|$)(.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
}

/** Parses `name=value` of --conf. @throws TaskStartError when it has another form */
export function parseProperty(conf: string): [name: string, value: string] {
  const equals = conf.indexOf('=');
  if (equals < 1)
    throw new TaskStartError(`--conf is ${JSON.stringify(conf)}; it must have the form name=value.`);
  return [conf.slice(0, equals).trim(), conf.slice(equals + 1).trim()];
}

/** Renders a properties file. */
export function renderProperties(properties: ReadonlyMap<string, string>): string {
  return [...properties].map(([name, value]) => `${name} ${value.replaceAll(/[\r\n]+/g, ' ')}\n`).join('');
}

/** Parses an amount of memory for -Xmx: a number with k, m, g or t, default m. @throws TaskStartError */
export function parseJavaMemory(option: string, value: string): string {
  const [, amount, unit = 'm'] = /^(\d+)([kmgt]?)b?$/i.exec(value.trim()) ?? [];
  if (amount === undefined || Number(amount) === 0)
    throw new TaskStartError(
      `${option} is ${JSON.stringify(value)}; it must be an amount of memory, for example 512m or 2g.`,
    );
  return `${amount}${unit.toLowerCase()}`;
}
