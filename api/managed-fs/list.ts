/** GET managed_fs/list: what stands in a directory of managed_fs. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FileInfo, FilePath, toFileView } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/** A missing path is 404 RESOURCE_DOES_NOT_EXIST. */
export function listFilesOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/managed_fs/list',
    versions: ['2.0'],
    scope: 'files',
    summary: 'List a directory',
    description: 'Lists what stands directly in a directory, by name. A file is listed as itself.',
    request: Type.Object({ path: FilePath }),
    response: Type.Object({ files: Type.Array(FileInfo) }),
    handle: async ({ path }) => ({ files: (await managedFiles.list(path)).map(toFileView) }),
  });
}
