/** DELETE fs/files/{file_path}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { requireKind, VolumePath } from './volume-path.ts';

/**
 * Deletes a file.
 * @throws ServiceError NOT_FOUND for a missing file
 */
export function deleteVolumeFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/fs/files/:file_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Delete a file of a volume',
    description: 'Deletes a file.',
    request: Type.Object({ file_path: VolumePath }),
    response: Type.Object({}),
    async handle({ file_path: path }) {
      await requireKind(managedFiles, path, 'file');
      await managedFiles.delete(path, false);
      return {};
    },
  });
}
