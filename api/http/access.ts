/** Job access control: checks the permission of a caller on a job before an operation is handled. */
import { ServiceError } from '../../engine/errors.ts';
import { permissionDenied, hasPermission, type PermissionLevel } from '../../engine/job/permissions.ts';
import type { PermissionReader } from '../../engine/ports/permissions.ts';
import type { Caller } from './auth.ts';

/** Permission that an operation needs while job access control is on. Administrators may do everything. */
export type Access =
  /** No permission: the operation creates a new object, or filters by `RequestContext.visibleTo`. */
  | 'everyone'
  | {
      readonly level: PermissionLevel;
      /** Input field with the id of the job, or of a run or task run of the job. */
      readonly idField: 'job_id' | 'run_id';
      /** Callers that may omit the field. Default: administrators. */
      readonly whenMissing?: 'everyone';
    };

/**
 * Returns the user whose permissions are checked; undefined while job access control is off, and for
 * administrators.
 */
export function restrictedUserOf(
  permissions: PermissionReader | undefined,
  caller: Caller,
): string | undefined {
  return permissions === undefined || caller.admin ? undefined : caller.userName;
}

/**
 * Checks the permission of a caller. An object that does not exist passes: the operation reports it.
 * @throws ServiceError PERMISSION_DENIED with the missing permission level
 */
export async function checkAccess(
  permissions: PermissionReader | undefined,
  access: Access | undefined,
  input: object,
  caller: Caller,
): Promise<void> {
  const userName = restrictedUserOf(permissions, caller);
  if (permissions === undefined || userName === undefined || access === undefined || access === 'everyone')
    return;
  const id = new Map<string, unknown>(Object.entries(input)).get(access.idField);
  if (typeof id !== 'number') {
    if (access.whenMissing === 'everyone') return;
    throw new ServiceError(
      'PERMISSION_DENIED',
      `Only administrators may omit ${access.idField}; user ${userName} is not an administrator.`,
    );
  }
  const held = await permissions.findLevels(access.idField, id, userName);
  if (held !== undefined && !hasPermission(held.levels, access.level))
    throw permissionDenied(userName, access.level, held.jobId);
}

/** @throws ServiceError PERMISSION_DENIED when an operation of administrators is called by another user */
export function checkAdminsOnly(adminsOnly: true | undefined, caller: Caller): void {
  if (adminsOnly === true && !caller.admin)
    throw new ServiceError(
      'PERMISSION_DENIED',
      `This operation is for administrators; user ${caller.userName} is not an administrator.`,
    );
}

/**
 * Returns operations on jobs without an access level: a programming error that would open them to all users.
 */
export function findOperationsWithoutAccess<
  Operation extends { readonly path: string; readonly access?: Access },
>(operations: readonly Operation[]): Operation[] {
  return operations.filter(
    ({ path, access }) => /^\/(jobs|permissions)\//.test(path) && access === undefined,
  );
}
