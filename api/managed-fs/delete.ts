/** POST managed_fs/delete: removes a file or directory of managed_fs. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/** A directory that is not empty is 400 INVALID_STATE without recursive. */
export function deleteFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/delete',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Delete a file',
    description: 'Deletes a file or a directory. Succeeds when there is nothing at the path.',
    request: Type.Object({
      path: FilePath,
      recursive: Type.Optional(
        Type.Boolean({ description: 'Deletes a directory with all it holds. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, recursive = false }) {
      await managedFiles.delete(path, recursive);
      return {};
    },
  });
}
