/** POST managed_fs/move. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { FilePath } from '../views/file-view.ts';

/**
 * Moves a file or directory of managed_fs.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing source; RESOURCE_ALREADY_EXISTS for a
 * destination that is taken; INVALID_PARAMETER_VALUE for a directory that would be moved into itself
 */
export function moveFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/move',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Move a file',
    description:
      'Moves a file, or a directory with all its contents. Nothing is replaced: the destination must not exist, not even as a directory. Missing parent directories are created.',
    request: Type.Object({ source_path: FilePath, destination_path: FilePath }),
    response: Type.Object({}),
    async handle({ source_path: from, destination_path: to }) {
      await managedFiles.move(from, to);
      return {};
    },
  });
}
