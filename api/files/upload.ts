/** PUT fs/files/{file_path}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { checkVolumePath, VolumePath } from './volume-path.ts';

/**
 * Writes a file from the body of the request.
 * @throws ServiceError ALREADY_EXISTS for a directory, and for an existing file with overwrite=false
 */
export function uploadFileOperation({ uploads }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/fs/files/:file_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Upload a file',
    description:
      'Writes the bytes of the body to a file, of up to 5 GB, atomically. Missing parent directories are created.',
    fileBody: true,
    request: Type.Object({
      file_path: VolumePath,
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Whether an existing file is replaced. Default: true.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ file_path: path, overwrite = true }, { body }) {
      checkVolumePath(path);
      await uploads.write(path, body, overwrite);
      return {};
    },
  });
}
