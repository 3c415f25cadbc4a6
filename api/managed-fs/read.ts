/** GET managed_fs/read. */
import { fixedLimits } from '../../engine/limits.ts';
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/** Maximum and default number of bytes per read. */
const maximumReadBytes = 2 ** 20;

/**
 * Reads a part of a file of managed_fs.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path; INVALID_PARAMETER_VALUE for a directory
 */
export function readFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/managed_fs/read',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Read a file',
    description:
      'Returns at most 1 MB of a file. Read large files in parts: `bytes_read` is 0 at the end of the file.',
    request: Type.Object({
      path: FilePath,
      offset: Type.Optional(Type.Integer({ ...Id, description: 'Position of the first byte. Default: 0.' })),
      length: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: maximumReadBytes,
          description: 'Maximum number of bytes. Default: 1 MB.',
        }),
      ),
    }),
    response: Type.Object({
      bytes_read: Type.Integer(),
      data: Type.String({ description: 'Bytes in base64.' }),
    }),
    async handle({ path, offset = 0, length = fixedLimits.fileReadBytes }) {
      const bytes = await managedFiles.read(path, offset, length);
      return { bytes_read: bytes.length, data: bytes.toString('base64') };
    },
  });
}
