/** GET workspace/list. */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectInfo, ObjectPath, toObjectView } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * Lists the entries of a directory of the workspace.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path
 */
export function listObjectsOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/list',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'List a directory',
    description:
      'Lists the entries of a directory by name. For a notebook or file, the list contains the object itself.',
    request: Type.Object({
      path: ObjectPath,
      notebooks_modified_after: Type.Optional(
        Type.Integer({
          ...Id,
          minimum: 0,
          description:
            'Leaves out notebooks that were not changed after this time, epoch milliseconds. Default: 0.',
        }),
      ),
    }),
    response: Type.Object({ objects: Type.Array(ObjectInfo) }),
    async handle({ path, notebooks_modified_after: after = 0 }) {
      const found = await workspace.list(path);
      const shown = found.filter(({ type, modifiedAt }) => type !== 'NOTEBOOK' || modifiedAt > after);
      return { objects: shown.map(toObjectView) };
    },
  });
}
