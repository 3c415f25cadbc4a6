/** The access control list of a job as the permission calls show and take it. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import {
  AccessControlRequest,
  hasSameOwner,
  permissionDenied,
  findOwner,
  permissionLevels,
  type Grant,
  type Grantee,
} from '../../engine/job/permissions.ts';
import { Id } from '../../engine/validation/scalars.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

export type PermissionPorts = Pick<OperationPorts, 'permissions'>;

export const jobIdField = {
  job_id: Type.Integer({ ...Id, description: 'The job; the hidden one of a submission, too.' }),
};

/** What PUT and PATCH take. */
export const accessControlListRequest = Type.Object({
  ...jobIdField,
  access_control_list: Type.Array(AccessControlRequest, { description: 'Who gets which level.' }),
});

export const PermissionLevelName = Type.Enum([...permissionLevels], { description: 'The level.' });

const HeldPermission = Type.Object(
  {
    permission_level: PermissionLevelName,
    inherited: Type.Boolean({ description: 'True when it cannot be changed here.' }),
    inherited_from_object: Type.Optional(Type.Array(Type.String(), { description: 'Where it comes from.' })),
  },
  { description: 'One level that they hold.' },
);

export const AccessControlList = Type.Object(
  {
    object_id: Type.String({ description: '/jobs/ and the id.' }),
    object_type: Type.Literal('job', { description: 'What it is about.' }),
    access_control_list: Type.Array(
      Type.Object(
        {
          user_name: Type.Optional(Type.String({ description: 'The user,' })),
          group_name: Type.Optional(Type.String({ description: 'or the group,' })),
          service_principal_name: Type.Optional(Type.String({ description: 'or the service principal.' })),
          display_name: Type.Optional(Type.String({ description: 'Name to show.' })),
          all_permissions: Type.Array(HeldPermission, { description: 'What they hold.' }),
        },
        { description: 'One who may do something.' },
      ),
      { description: 'The owner first.' },
    ),
  },
  { description: 'Who may do what with a job.' },
);

const nameField: Readonly<Record<Grantee['kind'], string>> = {
  user: 'user_name',
  group: 'group_name',
  service_principal: 'service_principal_name',
};

/** Administrators may do everything, on every list. */
const inheritedByAdmins = {
  permission_level: 'CAN_MANAGE',
  inherited: true,
  inherited_from_object: ['/jobs/'],
};

export function toAccessControlList(jobId: number, grants: readonly Grant[]): object {
  const isAdmins = ({ grantee }: Grant): boolean => grantee.kind === 'group' && grantee.name === 'admins';
  const ofAdmins = grants.filter(isAdmins).map(toHeldPermission);
  return {
    object_id: `/jobs/${jobId}`,
    object_type: 'job',
    access_control_list: [
      ...grants
        .filter((grant) => !isAdmins(grant))
        .map((grant) => ({
          [nameField[grant.grantee.kind]]: grant.grantee.name,
          ...(grant.grantee.kind !== 'group' && { display_name: grant.grantee.name }),
          all_permissions: [toHeldPermission(grant)],
        })),
      { group_name: 'admins', all_permissions: [...ofAdmins, inheritedByAdmins] },
    ],
  };
}

function toHeldPermission({ level }: Grant): object {
  return { permission_level: level, inherited: false };
}

/**
 * Changes the list of a job and shows it as it is then. Only its owner and administrators give a job to
 * another owner.
 * @throws ServiceError for an unknown job, an unknown user, or an owner who may not be changed by the caller
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

/** Clients of these calls know a job that is gone by the status. */
export function jobNotFound(jobId: number): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Job ${jobId} does not exist.`);
}
