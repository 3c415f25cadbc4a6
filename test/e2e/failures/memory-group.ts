/** A control group whose processes share a limit of memory, for faults that the kernel itself ends. */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const limitBytes = 64 * 2 ** 20;

/** Where the two versions of control groups stand, and the file of their limit. */
const hierarchies = [
  { group: /^\d+:memory:(.*)$/m, root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { group: /^0::(.*)$/m, root: '/sys/fs/cgroup', limit: 'memory.max' },
];

/** Creates a group of 64 MB below the group of this process. Returns its directory; undefined where not permitted. */
export function createMemoryGroup(name: string): string | undefined {
  for (const { group, root, limit } of hierarchies) {
    const own = group.exec(readOwnGroups())?.[1];
    if (own === undefined) continue;
    const directory = join(root, own, name);
    try {
      mkdirSync(directory);
    } catch {
      continue;
    }
    try {
      writeFileSync(join(directory, limit), String(limitBytes));
      return directory;
    } catch {
      removeMemoryGroup(directory);
    }
  }
  return undefined;
}

/** Removes a group without processes. */
export function removeMemoryGroup(directory: string): void {
  rmdirSync(directory);
}

function readOwnGroups(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
