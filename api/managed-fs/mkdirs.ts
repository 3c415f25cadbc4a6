/** POST managed_fs/mkdirs: makes a directory of managed_fs. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { FilePath } from '../views/file-view.ts';
import type { ManagedFsPorts } from '../http/ports.ts';

/** A file in the way is 400 RESOURCE_ALREADY_EXISTS. */
export function createDirectoriesOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/managed_fs/mkdirs',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Make a directory',
    description: 'Makes a directory and those above it. One that is there already is left as it is.',
    request: Type.Object({ path: FilePath }),
    response: Type.Object({}),
    async handle({ path }) {
      await managedFiles.mkdirs(path);
      return {};
    },
  });
}
