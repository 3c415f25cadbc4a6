/** Creates names inside a dashboard, and the name and path of its file. */
import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';
import { dashboardFileSuffix } from '../validation/aliases.ts';
import { checkMaxBytes, quote } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';

/**
 * Returns a generator of unique names of eight hexadecimal digits; equal sequences of texts give equal names.
 */
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

/** Returns the keyword of a parameter: its name in letters, digits and underscores. */
export function toKeyword(name: string): string {
  const keyword = name.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').replaceAll(/^_+|_+$/g, '');
  if (keyword === '') return 'parameter';
  return /^\p{N}/u.test(keyword) ? `p_${keyword}` : keyword;
}

/** Reserves a name, or the first of `name_2`, `name_3` and so on that is free. */
export function reserveName(taken: Set<string>, name: string): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
  taken.add(free);
  return free;
}

/** @throws ServiceError when the name is too long or is not a valid file name */
export function checkDisplayName(
  field: string,
  name: string,
  limits: Pick<Limits, 'dashboardNameBytes'>,
): void {
  checkMaxBytes(field, name, limits.dashboardNameBytes);
  if (name.includes('/'))
    throw invalid(
      `${field} is ${quote(name)}; it must not contain a slash, because it is also the name of a file.`,
    );
}

/** Returns the name of a classic dashboard as a file name, with a hyphen for each slash. */
export function toFileName(name: string): string {
  return name.trim().replaceAll('/', '-');
}

/** Returns the candidate of an attempt to find a free name: `name`, `name (2)`, `name (3)`. */
export function candidateName(name: string, attempt: number): string {
  return attempt === 1 ? name : `${name} (${attempt})`;
}

/**
 * Returns the path of a dashboard in the workspace.
 * @param parentPath absolute path, without a slash at its end unless it is the root
 */
export function dashboardPath(parentPath: string, displayName: string): string {
  return `${parentPath === '/' ? '' : parentPath}/${displayName}${dashboardFileSuffix}`;
}
