/** GET workspace/list. */
import { Type } from 'typebox';
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
    request: Type.Object({ path: ObjectPath }),
    response: Type.Object({ objects: Type.Array(ObjectInfo) }),
    handle: async ({ path }) => ({ objects: (await workspace.list(path)).map(toObjectView) }),
  });
}
