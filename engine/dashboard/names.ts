/** Names inside a dashboard, and the name of its file. */
import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';
import { dashboardFileSuffix } from '../validation/aliases.ts';
import { checkMaxBytes, quote } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';

/** Makes names of eight hexadecimal digits, each once; the same texts give the same names. */
export function createNameGenerator(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    for (let round = 0; ; round += 1) {
      const name = createHash('sha256').update(`${round}:${text}`).digest('hex').slice(0, 8);
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
}

/** The name that a query gives to a parameter: letters, digits and underscores. */
export function toKeyword(name: string): string {
  const keyword = name.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').replaceAll(/^_+|_+$/g, '');
  if (keyword === '') return 'parameter';
  return /^\p{N}/u.test(keyword) ? `p_${keyword}` : keyword;
}

/** The name, or the first of `name_2`, `name_3` and so on that is free. Takes it. */
export function reserveName(taken: Set<string>, name: string): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
  taken.add(free);
  return free;
}

/** @throws ServiceError for a name that cannot be that of a file */
export function checkDisplayName(
  field: string,
  name: string,
  limits: Pick<Limits, 'dashboardNameBytes'>,
): void {
  checkMaxBytes(field, name, limits.dashboardNameBytes);
  if (name.includes('/'))
    throw invalid(
      `${field} is ${quote(name)}; it must not hold a slash, because it is the name of a file, too.`,
    );
}

/** The name of a classic dashboard as that of a file: with a hyphen in the place of each slash. */
export function toFileName(name: string): string {
  return name.trim().replaceAll('/', '-');
}

/** The name for the nth try to find one that is free: `name`, `name (2)`, `name (3)`. */
export function candidateName(name: string, attempt: number): string {
  return attempt === 1 ? name : `${name} (${attempt})`;
}

/**
 * The path of a dashboard in the workspace. `parentPath` begins with a slash and ends with none, unless it is
 * the root.
 */
export function dashboardPath(parentPath: string, displayName: string): string {
  return `${parentPath === '/' ? '' : parentPath}/${displayName}${dashboardFileSuffix}`;
}
