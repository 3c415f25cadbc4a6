/** POST managed_fs/mkdirs. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/**
 * Creates a directory of managed_fs and its parents; no effect on an existing directory.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS when a file exists at the path
 */
export function createDirectoriesOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/mkdirs',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Create a directory',
    description: 'Creates a directory and its parent directories. An existing directory stays unchanged.',
    request: Type.Object({ path: FilePath }),
    response: Type.Object({}),
    async handle({ path }) {
      await managedFiles.mkdirs(path);
      return {};
    },
  });
}
