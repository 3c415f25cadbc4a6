/** POST workspace/delete: removes a notebook, file or directory of the workspace. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * A missing path is 404 RESOURCE_DOES_NOT_EXIST; a directory that is not empty is 400 INVALID_STATE without
 * recursive.
 */
export function deleteObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/workspace/delete',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Delete an object',
    description:
      'Deletes a notebook, a file or a directory. Runs that have started keep the snapshot of their notebook.',
    request: Type.Object({
      path: ObjectPath,
      recursive: Type.Optional(
        Type.Boolean({ description: 'Deletes a directory with all it holds. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, recursive = false }) {
      await workspace.delete(path, recursive);
      return {};
    },
  });
}
