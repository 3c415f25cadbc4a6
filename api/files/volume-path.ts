/** Paths of the operations on fs/: the places at which hosted workspaces mount volumes and managed_fs. */
import { Type } from 'typebox';
import { invalid, ServiceError } from '../../engine/errors.ts';
import type { ManagedFile, ManagedFileStore } from '../../engine/ports/files.ts';
import { mountedPath, mountPoints } from '../../engine/validation/aliases.ts';
import { quote } from '../../engine/validation/messages.ts';

const description = `Absolute path below ${mountPoints.map(({ path }) => path).join(' or ')}.`;

export const VolumePath = Type.String({ minLength: 1, description });

/**
 * Checks the path of a file or directory.
 * @throws ServiceError INVALID_PARAMETER_VALUE for a path outside the mount points
 */
export function checkVolumePath(path: string): void {
  if (mountedPath(path) === undefined)
    throw invalid(
      `The path is ${quote(path)}; it must be below ${mountPoints.map((point) => point.path).join(' or ')}.`,
    );
}

/**
 * Returns the file or directory at a path.
 * @throws ServiceError NOT_FOUND when there is none of that kind
 */
export async function requireKind(
  files: Pick<ManagedFileStore, 'getStatus'>,
  path: string,
  kind: ManagedFile['kind'],
): Promise<ManagedFile> {
  checkVolumePath(path);
  const found = await files.getStatus(path).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'RESOURCE_DOES_NOT_EXIST') return undefined;
    throw error;
  });
  if (found?.kind === kind) return found;
  const reason = found === undefined ? 'nothing exists there' : `it is a ${found.kind}`;
  throw new ServiceError('NOT_FOUND', `No ${kind} exists on path ${path}: ${reason}.`);
}
