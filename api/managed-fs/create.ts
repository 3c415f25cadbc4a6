/** POST managed_fs/create. */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { FilePath } from '../views/file-view.ts';

/** Handle of an open upload, in requests and responses. */
export const UploadHandle = Type.Integer({ ...Id, description: 'Handle of an open upload.' });

/**
 * Opens a streaming upload.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for an existing path without overwrite, and for a directory;
 * QUOTA_EXCEEDED when too many uploads are open
 */
export function createUploadOperation({ uploads }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/create',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Open an upload',
    description:
      'Opens the upload of a file of any size in blocks: call `add-block` with the handle for each block, then `close`. ' +
      'The file appears, complete, when the upload is closed. A handle expires 10 minutes after its last block, ends ' +
      'when the service stops, and can be used only by the user that opened it.',
    request: Type.Object({
      path: FilePath,
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Whether an existing file is replaced. Default: false.' }),
      ),
    }),
    response: Type.Object({ handle: UploadHandle }),
    handle: async ({ path, overwrite = false }, { caller }) => ({
      handle: await uploads.create(caller.principalId, path, overwrite),
    }),
  });
}
