/** GET permissions/jobs/{job_id}/permissionLevels. */
import { Type } from 'typebox';
import { permissionDescriptions, permissionLevels } from '../../engine/job/permissions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { jobIdField, PermissionLevelName, jobNotFound, type PermissionPorts } from './access-control-list.ts';

/** Shows the levels that there are on a job. */
export function listPermissionLevelsOperation({ permissions }: PermissionPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/permissions/jobs/:job_id/permissionLevels',
    versions: ['2.0'],
    scope: 'access-management',
    access: { level: 'CAN_VIEW', idField: 'job_id' },
    summary: 'List the permission levels of a job',
    description: 'The levels that can be given on a job, weakest first, and what each of them permits.',
    request: Type.Object(jobIdField),
    response: Type.Object({
      permission_levels: Type.Array(
        Type.Object(
          {
            permission_level: PermissionLevelName,
            description: Type.String({ description: 'What it permits.' }),
          },
          { description: 'One level.' },
        ),
        { description: 'Weakest first.' },
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
