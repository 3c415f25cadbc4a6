/** PUT fs/directories/{directory_path}. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { checkVolumePath, VolumePath } from './volume-path.ts';

/**
 * Creates a directory and its parents; no effect on an existing directory.
 * @throws ServiceError ALREADY_EXISTS when a file is at the path or above it
 */
export function createDirectoryOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/fs/directories/:directory_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Create a directory of a volume',
    description: 'Creates a directory and its parent directories. An existing directory stays unchanged.',
    request: Type.Object({ directory_path: VolumePath }),
    response: Type.Object({}),
    async handle({ directory_path: path }) {
      checkVolumePath(path);
      await managedFiles.mkdirs(path).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'RESOURCE_ALREADY_EXISTS') throw error;
        throw new ServiceError('ALREADY_EXISTS', error.message);
      });
      return {};
    },
  });
}
