/** GET workspace/get-status. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectInfo, ObjectPath, toObjectView } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * Returns the status of an object of the workspace.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path
 */
export function getObjectStatusOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/get-status',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Get the status of an object',
    description: 'Returns type, size and times of a notebook, file or directory.',
    request: Type.Object({ path: ObjectPath }),
    response: ObjectInfo,
    handle: async ({ path }) => toObjectView(await workspace.getStatus(path)),
  });
}
