/** POST workspace/delete. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * Deletes a notebook, file or directory of the workspace.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path; INVALID_STATE for a directory that is not
 * empty, without recursive
 */
export function deleteObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/workspace/delete',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Delete an object',
    description:
      'Deletes a notebook, a file or a directory. Started runs keep the snapshot of their notebook.',
    request: Type.Object({
      path: ObjectPath,
      recursive: Type.Optional(
        Type.Boolean({ description: 'Whether a directory is deleted with its contents. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, recursive = false }) {
      await workspace.delete(path, recursive);
      return {};
    },
  });
}
