/** POST managed_fs/close. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { UploadHandle } from './create.ts';

/**
 * Ends an upload and creates its file.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a handle that is not open; RESOURCE_ALREADY_EXISTS when
 * the path was taken since `create`
 */
export function closeUploadOperation({ uploads }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/close',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Close an upload',
    description:
      'Creates the file from all blocks of an open upload, atomically, and ends the handle. Missing parent directories are created.',
    request: Type.Object({ handle: UploadHandle }),
    response: Type.Object({}),
    async handle({ handle }, { caller }) {
      await uploads.close(caller.principalId, handle);
      return {};
    },
  });
}
