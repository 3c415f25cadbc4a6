/** GET permissions/jobs/{job_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  AccessControlList,
  jobIdField,
  toAccessControlList,
  jobNotFound,
  type PermissionPorts,
} from './access-control-list.ts';

/**
 * Returns the permissions on a job.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown job
 */
export function getPermissionsOperation({ permissions }: PermissionPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/permissions/jobs/:job_id',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_VIEW', idField: 'job_id' },
    summary: 'Get the permissions on a job',
    description:
      'Returns the permissions on a job. They are enforced while job access control is enabled (`RUNYARD_JOB_ACCESS_CONTROL`).',
    request: Type.Object(jobIdField),
    response: AccessControlList,
    async handle({ job_id: jobId }) {
      const grants = await permissions.listGrants(jobId);
      if (grants === undefined) throw jobNotFound(jobId);
      return toAccessControlList(jobId, grants);
    },
  });
}
