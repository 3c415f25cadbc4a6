/** GET managed_fs/read: bytes of a file of managed_fs. */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** A missing path is 404 RESOURCE_DOES_NOT_EXIST, a directory 400. */
export function readFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/managed_fs/read',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Read a file',
    description:
      'Answers with at most 1 MB of a file. A large file is read piece by piece: it ends where `bytes_read` is 0.',
    request: Type.Object({
      path: FilePath,
      offset: Type.Optional(Type.Integer({ ...Id, description: 'First byte. Default: 0.' })),
      length: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: fixedLimits.fileReadBytes,
          description: 'Most bytes to read. Default: 1 MB.',
        }),
      ),
    }),
    response: Type.Object({
      bytes_read: Type.Integer(),
      data: Type.String({ description: 'Base64 of the bytes.' }),
    }),
    async handle({ path, offset = 0, length = fixedLimits.fileReadBytes }) {
      const bytes = await managedFiles.read(path, offset, length);
      return { bytes_read: bytes.length, data: bytes.toString('base64') };
    },
  });
}
