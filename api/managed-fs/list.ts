/** GET managed_fs/list. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FileInfo, FilePath, toFileView } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/**
 * Lists the entries of a directory of managed_fs.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path
 */
export function listFilesOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/managed_fs/list',
    versions: ['2.0'],
    scope: 'files',
    summary: 'List a directory',
    description: 'Lists the entries of a directory by name. For a file, the list contains the file itself.',
    request: Type.Object({ path: FilePath }),
    response: Type.Object({ files: Type.Array(FileInfo) }),
    handle: async ({ path }) => ({ files: (await managedFiles.list(path)).map(toFileView) }),
  });
}
