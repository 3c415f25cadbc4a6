/** GET permissions/jobs/{job_id}/permissionLevels. */
import { Type } from 'typebox';
import { permissionDescriptions, permissionLevels } from '../../engine/job/permissions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { jobIdField, PermissionLevelName, jobNotFound, type PermissionPorts } from './access-control-list.ts';

/**
 * Lists the permission levels of jobs.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown job
 */
export function listPermissionLevelsOperation({ permissions }: PermissionPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/permissions/jobs/:job_id/permissionLevels',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_VIEW', idField: 'job_id' },
    summary: 'List the permission levels of a job',
    description:
      'Lists the permission levels that can be granted on a job, weakest first, with the actions each level permits.',
    request: Type.Object(jobIdField),
    response: Type.Object({
      permission_levels: Type.Array(
        Type.Object(
          {
            permission_level: PermissionLevelName,
            description: Type.String({ description: 'Permitted actions.' }),
          },
          { description: 'Permission level.' },
        ),
        { description: 'Levels, weakest first.' },
      ),
    }),
    async handle({ job_id: jobId }) {
      if ((await permissions.listGrants(jobId)) === undefined) throw jobNotFound(jobId);
      return {
        permission_levels: permissionLevels.map((level) => ({
          permission_level: level,
          description: permissionDescriptions[level],
        })),
      };
    },
  });
}
