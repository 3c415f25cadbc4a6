/** PUT permissions/jobs/{job_id}. */
import { parseGrants, grantsAfterReplace } from '../../engine/job/permissions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  AccessControlList,
  changeAccessControlList,
  accessControlListRequest,
  type PermissionPorts,
} from './access-control-list.ts';

/** Replaces the whole list. */
export function replacePermissionsOperation(ports: PermissionPorts): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/permissions/jobs/:job_id',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Replace the permissions on a job',
    description:
      'Replaces the access control list of a job. Its owner stays, unless the new list has another IS_OWNER.',
    request: accessControlListRequest,
    response: AccessControlList,
    async handle({ job_id: jobId, access_control_list: list }, context) {
      const wanted = parseGrants(list);
      return changeAccessControlList(ports, jobId, context, (current) => grantsAfterReplace(current, wanted));
    },
  });
}
