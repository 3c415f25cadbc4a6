/** POST managed_fs/put. */
import { Type } from 'typebox';
import { decodeBase64 } from '../http/base64.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/**
 * Writes a file of managed_fs.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for an existing path without overwrite, and for a directory
 */
export function putFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/put',
    versions: ['2.0'],
    scope: 'files',
    fileField: 'contents',
    summary: 'Write a file',
    description:
      'Writes a complete file atomically: readers see either the old or the new contents. Missing parent directories are created. A multipart form may carry the contents as a file.',
    request: Type.Object({
      path: FilePath,
      contents: Type.String({ description: 'Contents in base64.' }),
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Whether an existing file is replaced. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, contents, overwrite = false }) {
      await managedFiles.put(path, decodeBase64('contents', contents), overwrite);
      return {};
    },
  });
}
