/** POST managed_fs/delete. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/**
 * Deletes a file or directory of managed_fs; no effect on a missing path.
 * @throws ServiceError INVALID_STATE for a directory that is not empty, without recursive
 */
export function deleteFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/delete',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Delete a file',
    description: 'Deletes a file or a directory. Deleting a missing path succeeds without effect.',
    request: Type.Object({
      path: FilePath,
      recursive: Type.Optional(
        Type.Boolean({ description: 'Whether a directory is deleted with its contents. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, recursive = false }) {
      await managedFiles.delete(path, recursive);
      return {};
    },
  });
}
