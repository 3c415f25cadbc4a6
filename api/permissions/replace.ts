/** PUT permissions/jobs/{job_id}. */
import { parseGrants, grantsAfterReplace } from '../../engine/job/permissions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  AccessControlList,
  changeAccessControlList,
  accessControlListRequest,
  type PermissionPorts,
} from './access-control-list.ts';

/**
 * Replaces the access control list of a job. The owner stays unless the new list names another one.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown job; an invalid list; a forbidden change of
 * the owner
 */
export function replacePermissionsOperation(ports: PermissionPorts): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/permissions/jobs/:job_id',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Replace the permissions on a job',
    description:
      'Replaces the access control list of a job. The owner stays unless the new list grants IS_OWNER to another user.',
    request: accessControlListRequest,
    response: AccessControlList,
    async handle({ job_id: jobId, access_control_list: list = [] }, context) {
      const wanted = parseGrants(list);
      return changeAccessControlList(ports, jobId, context, (current) => grantsAfterReplace(current, wanted));
    },
  });
}
