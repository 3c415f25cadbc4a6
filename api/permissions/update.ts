/** PATCH permissions/jobs/{job_id}. */
import { grantsAfterUpdate, parseGrants } from '../../engine/job/permissions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  AccessControlList,
  changeAccessControlList,
  accessControlListRequest,
  type PermissionPorts,
} from './access-control-list.ts';

/** Changes or adds some entries of the list. */
export function updatePermissionsOperation(ports: PermissionPorts): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/permissions/jobs/:job_id',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Change some permissions on a job',
    description:
      'Gives levels on a job; who is not named keeps theirs. An owner who gives the job to another one can still manage it.',
    request: accessControlListRequest,
    response: AccessControlList,
    async handle({ job_id: jobId, access_control_list: list }, context) {
      const wanted = parseGrants(list);
      return changeAccessControlList(ports, jobId, context, (current) => grantsAfterUpdate(current, wanted));
    },
  });
}
