/** GET workspace/get-status: what stands at a path of the workspace. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectInfo, ObjectPath, toObjectView } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/** A missing path is 404 RESOURCE_DOES_NOT_EXIST. */
export function getObjectStatusOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/get-status',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Get the status of an object',
    description: 'Shows one notebook, file or directory.',
    request: Type.Object({ path: ObjectPath }),
    response: ObjectInfo,
    handle: async ({ path }) => toObjectView(await workspace.getStatus(path)),
  });
}
