/** PATCH permissions/jobs/{job_id}. */
import { grantsAfterUpdate, parseGrants } from '../../engine/job/permissions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  AccessControlList,
  changeAccessControlList,
  accessControlListRequest,
  type PermissionPorts,
} from './access-control-list.ts';

/**
 * Adds or changes entries of the access control list of a job.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown job; an invalid list; a forbidden change of
 * the owner
 */
export function updatePermissionsOperation(ports: PermissionPorts): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/permissions/jobs/:job_id',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Update the permissions on a job',
    description:
      'Grants permission levels on a job; other entries stay unchanged. A previous owner keeps CAN_MANAGE.',
    request: accessControlListRequest,
    response: AccessControlList,
    async handle({ job_id: jobId, access_control_list: list = [] }, context) {
      const wanted = parseGrants(list);
      return changeAccessControlList(ports, jobId, context, (current) => grantsAfterUpdate(current, wanted));
    },
  });
}
