/** POST managed_fs/put: writes a file of managed_fs. */
import { Type } from 'typebox';
import { decodeBase64 } from '../http/base64.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/** A taken path without overwrite, and a directory with it, is 400 RESOURCE_ALREADY_EXISTS. */
export function putFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/put',
    versions: ['2.0'],
    scope: 'files',
    fileField: 'contents',
    summary: 'Write a file',
    description:
      'Writes a whole file in one step: a reader finds all of it or what was there before. Folders above it are made when they are missing. A multipart form may carry the contents as a file.',
    request: Type.Object({
      path: FilePath,
      contents: Type.String({ description: 'Base64 of the contents.' }),
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Replaces the file that is there. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, contents, overwrite = false }) {
      await managedFiles.put(path, decodeBase64('contents', contents), overwrite);
      return {};
    },
  });
}
