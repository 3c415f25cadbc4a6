/** GET workspace/list: what stands in a directory of the workspace. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectInfo, ObjectPath, toObjectView } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/** A missing path is 404 RESOURCE_DOES_NOT_EXIST. */
export function listObjectsOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/list',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'List a directory',
    description:
      'Lists what stands directly in a directory, by name. A notebook or file is listed as itself.',
    request: Type.Object({ path: ObjectPath }),
    response: Type.Object({ objects: Type.Array(ObjectInfo) }),
    handle: async ({ path }) => ({ objects: (await workspace.list(path)).map(toObjectView) }),
  });
}
