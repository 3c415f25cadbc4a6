/** POST managed_fs/add-block. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { fixedLimits } from '../../engine/limits.ts';
import { decodeBase64 } from '../http/base64.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { UploadHandle } from './create.ts';

/**
 * Appends a block to an upload.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a handle that is not open; MAX_BLOCK_SIZE_EXCEEDED for a
 * block above 1 MB
 */
export function addBlockOperation({ uploads }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/add-block',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Upload a block',
    description: 'Appends a block of at most 1 MB to an open upload.',
    request: Type.Object({ handle: UploadHandle, data: Type.String({ description: 'Block in base64.' }) }),
    response: Type.Object({}),
    async handle({ handle, data }, { caller }) {
      const block = decodeBase64('data', data);
      if (block.length > fixedLimits.fileBlockBytes)
        throw new ServiceError(
          'MAX_BLOCK_SIZE_EXCEEDED',
          `data has ${block.length} bytes; a block must have at most ${fixedLimits.fileBlockBytes} bytes.`,
        );
      await uploads.addBlock(caller.principalId, handle, block);
      return {};
    },
  });
}
