/** GET managed_fs/get-status. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FileInfo, FilePath, toFileView } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/**
 * Returns the status of a file or directory of managed_fs.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path
 */
export function getFileStatusOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/managed_fs/get-status',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Get the status of a file',
    description: 'Returns size and modification time of a file or directory.',
    request: Type.Object({ path: FilePath }),
    response: FileInfo,
    handle: async ({ path }) => toFileView(await managedFiles.getStatus(path)),
  });
}
