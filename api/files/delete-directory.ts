/** DELETE fs/directories/{directory_path}. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { requireKind, VolumePath } from './volume-path.ts';

/**
 * Deletes an empty directory.
 * @throws ServiceError NOT_FOUND for a missing directory; INVALID_STATE for one that is not empty
 */
export function deleteDirectoryOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/fs/directories/:directory_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Delete a directory',
    description: 'Deletes an empty directory.',
    request: Type.Object({ directory_path: VolumePath }),
    response: Type.Object({}),
    async handle({ directory_path: path }) {
      await requireKind(managedFiles, path, 'directory');
      await managedFiles.delete(path, false).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'INVALID_STATE') throw error;
        throw new ServiceError('INVALID_STATE', `${path} is not empty; delete its contents first.`);
      });
      return {};
    },
  });
}
