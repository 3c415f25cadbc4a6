/** HEAD fs/directories/{directory_path}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { HeadResponse } from '../http/streamed-response.ts';
import { requireKind, VolumePath } from './volume-path.ts';

/**
 * Answers whether a directory exists.
 * @throws ServiceError NOT_FOUND for a missing directory
 */
export function getDirectoryMetadataOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'HEAD',
    path: '/fs/directories/:directory_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Get the metadata of a directory',
    description: 'Succeeds, without a body, if the directory exists.',
    request: Type.Object({ directory_path: VolumePath }),
    response: Type.Object({}),
    async handle({ directory_path: path }) {
      await requireKind(managedFiles, path, 'directory');
      return new HeadResponse();
    },
  });
}
