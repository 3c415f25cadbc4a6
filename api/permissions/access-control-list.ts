/** Access control list of a job in requests and responses. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import {
  AccessControlRequest,
  hasSameOwner,
  permissionDenied,
  findOwner,
  permissionLevels,
  type Grant,
} from '../../engine/job/permissions.ts';
import { Id } from '../../engine/validation/scalars.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { granteeField } from '../views/grantee-field.ts';

export type PermissionPorts = Pick<OperationPorts, 'permissions'>;

export const jobIdField = {
  job_id: Type.Integer({
    ...Id,
    description: 'Id of the job; the hidden job of a one-time run is allowed, too.',
  }),
};

/** Request of PUT and PATCH. */
export const accessControlListRequest = Type.Object({
  ...jobIdField,
  access_control_list: Type.Optional(
    Type.Array(AccessControlRequest, { description: 'Grants of permission levels. Default: none.' }),
  ),
});

export const PermissionLevelName = Type.Enum([...permissionLevels], { description: 'Permission level.' });

const HeldPermission = Type.Object(
  {
    permission_level: PermissionLevelName,
    inherited: Type.Boolean({ description: 'True for a level that this list cannot change.' }),
    inherited_from_object: Type.Optional(
      Type.Array(Type.String(), { description: 'Objects that the level is inherited from.' }),
    ),
  },
  { description: 'Permission level that the grantee holds.' },
);

export const AccessControlList = Type.Object(
  {
    object_id: Type.String({ description: '/jobs/<job_id>.' }),
    object_type: Type.Literal('job', { description: 'Type of the object.' }),
    access_control_list: Type.Array(
      Type.Object(
        {
          user_name: Type.Optional(Type.String({ description: 'User name; one of three alternatives.' })),
          group_name: Type.Optional(Type.String({ description: 'Group name.' })),
          service_principal_name: Type.Optional(
            Type.String({ description: 'Application id of a service principal.' }),
          ),
          display_name: Type.Optional(Type.String({ description: 'Display name.' })),
          all_permissions: Type.Array(HeldPermission, { description: 'Permission levels of the grantee.' }),
        },
        { description: 'Entry of a grantee.' },
      ),
      { description: 'Entries, owner first.' },
    ),
  },
  { description: 'Access control list of a job.' },
);

/** Inherited entry of administrators on every list. */
const inheritedByAdmins = {
  permission_level: 'CAN_MANAGE',
  inherited: true,
  inherited_from_object: ['/jobs/'],
};

/** Returns the document of the grants on a job. */
export function toAccessControlList(jobId: number, grants: readonly Grant[]): object {
  const isAdmins = ({ grantee }: Grant): boolean => grantee.kind === 'group' && grantee.name === 'admins';
  const adminGrants = grants.filter(isAdmins).map(toHeldPermission);
  return {
    object_id: `/jobs/${jobId}`,
    object_type: 'job',
    access_control_list: [
      ...grants
        .filter((grant) => !isAdmins(grant))
        .map((grant) => ({ ...granteeField(grant.grantee), all_permissions: [toHeldPermission(grant)] })),
      { group_name: 'admins', all_permissions: [...adminGrants, inheritedByAdmins] },
    ],
  };
}

function toHeldPermission({ level }: Grant): object {
  return { permission_level: level, inherited: false };
}

/**
 * Changes the list of a job and returns the result. Only the owner and administrators may change the owner.
 * @throws ServiceError for an unknown job or user, and for a change of the owner by another caller
 */
export async function changeAccessControlList(
  { permissions }: PermissionPorts,
  jobId: number,
  { visibleTo, recordChange }: RequestContext,
  change: (current: readonly Grant[]) => readonly Grant[],
): Promise<object> {
  const grants = await permissions.update(jobId, (current) => {
    const changed = change(current);
    const owner = findOwner(current)?.grantee.name;
    if (visibleTo !== undefined && owner !== visibleTo && !hasSameOwner(current, changed))
      throw permissionDenied(visibleTo, 'IS_OWNER', jobId);
    recordChange({ access_control_list: current }, { access_control_list: changed });
    return changed;
  });
  if (grants === undefined) throw jobNotFound(jobId);
  return toAccessControlList(jobId, grants);
}

/** Returns the error of an unknown job; clients of these operations expect status 404. */
export function jobNotFound(jobId: number): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Job ${jobId} does not exist.`);
}
