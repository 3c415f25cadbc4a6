/** GET managed_fs/get-status: what stands at a path of managed_fs. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FileInfo, FilePath, toFileView } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/** A missing path is 404 RESOURCE_DOES_NOT_EXIST. */
export function getFileStatusOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/managed_fs/get-status',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Get the status of a file',
    description: 'Shows one file or directory.',
    request: Type.Object({ path: FilePath }),
    response: FileInfo,
    handle: async ({ path }) => toFileView(await managedFiles.getStatus(path)),
  });
}
