/**
 * Configuration properties of a submitted application: read from a file and from options, and written for the
 * application.
 */
import { TaskStartError } from '../process/pinned-command.ts';

/**
 * The properties of a file in the form of spark-defaults.conf: a name and a value a line, with blanks, `=` or
 * `:` between them; lines that begin with `#` or `!` are comments.
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

/** One `name=value` of --conf. @throws CannotStart when it is none */
export function parseProperty(conf: string): [name: string, value: string] {
  const equals = conf.indexOf('=');
  if (equals < 1)
    throw new TaskStartError(`--conf is ${JSON.stringify(conf)}; it must be a property as name=value.`);
  return [conf.slice(0, equals).trim(), conf.slice(equals + 1).trim()];
}

/** The text of a file that holds these properties. */
export function renderProperties(properties: ReadonlyMap<string, string>): string {
  return [...properties].map(([name, value]) => `${name} ${value.replaceAll(/[\r\n]+/g, ' ')}\n`).join('');
}

/**
 * Memory as Java's -Xmx takes it: a number with k, m, g or t, in megabytes without one. @throws CannotStart
 */
export function parseJavaMemory(option: string, value: string): string {
  const [, amount, unit = 'm'] = /^(\d+)([kmgt]?)b?$/i.exec(value.trim()) ?? [];
  if (amount === undefined || Number(amount) === 0)
    throw new TaskStartError(
      `${option} is ${JSON.stringify(value)}; it must be an amount of memory such as 512m or 2g.`,
    );
  return `${amount}${unit.toLowerCase()}`;
}
