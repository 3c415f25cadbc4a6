/**
 * Arguments of programs that name files of managed_fs below a mount point, on a machine without the mount.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mountedPath, mountPoints } from '../../engine/validation/aliases.ts';

/** An argument that is an absolute path, also as `file:/x` or `--name=/x`. */
const pathArgument = /^(-{1,2}[\w.-]+=)?(file:(?:\/\/)?)?(\/.*)$/s;

/**
 * Replaces arguments below a mount point of managed_fs that this machine does not have by the path on this
 * machine. Only an argument that is a path as a whole, or the value of `--name=`, is replaced.
 * @param managedFs absolute path of the directory of managed_fs
 * @param isMounted returns whether a mount point exists on this machine
 */
export function resolveMountedArguments(
  argv: readonly [string, ...string[]],
  managedFs: string,
  isMounted: (mountPoint: string) => boolean = existsSync,
): readonly [string, ...string[]] {
  const [program, ...args] = argv;
  return [program, ...args.map((argument) => resolveArgument(argument, managedFs, isMounted))];
}

function resolveArgument(
  argument: string,
  managedFs: string,
  isMounted: (mountPoint: string) => boolean,
): string {
  const [, option = '', scheme = '', path = ''] = pathArgument.exec(argument) ?? [];
  const inside = mountedPath(path);
  const isPlain = inside !== undefined && !path.split('/').includes('..');
  if (!isPlain || mountPoints.some((point) => path.startsWith(point.path) && isMounted(point.path)))
    return argument;
  return option + scheme + join(managedFs, inside);
}
