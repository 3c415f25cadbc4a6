/** Job access control: what an operation needs on a job, checked in one place before it is handled. */
import { ServiceError } from '../../engine/errors.ts';
import { permissionDenied, hasPermission, type PermissionLevel } from '../../engine/job/permissions.ts';
import type { PermissionReader } from '../../engine/ports/engine.ts';
import type { Caller } from './auth.ts';

/** What an operation needs while job access control is on. Administrators may do everything. */
export type Access =
  /**
   * Nothing: it makes something of its caller's own, or shows only what the caller may see
   * (`RequestContext.visibleTo`).
   */
  | 'everyone'
  | {
      readonly level: PermissionLevel;
      /** Field of the input that names the job, or a run or task run of it. */
      readonly idField: 'job_id' | 'run_id';
      /** Who may call it without that field. Default: administrators. */
      readonly whenMissing?: 'everyone';
    };

/**
 * The user whose permissions count for a caller; undefined when none do, because control is off or the caller
 * an administrator.
 */
export function restrictedUserOf(
  permissions: PermissionReader | undefined,
  caller: Caller,
): string | undefined {
  return permissions === undefined || caller.admin ? undefined : caller.userName;
}

/**
 * Lets a call pass, or refuses it. What does not exist passes: the operation has the words for that.
 * @throws ServiceError PERMISSION_DENIED that names what is missing
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
      `Without ${access.idField} this is for administrators only, and user ${userName} is none.`,
    );
  }
  const held = await permissions.findLevels(access.idField, id, userName);
  if (held !== undefined && !hasPermission(held.levels, access.level))
    throw permissionDenied(userName, access.level, held.jobId);
}

/** @throws ServiceError PERMISSION_DENIED when an operation is for administrators, and the caller is none */
export function checkAdminsOnly(adminsOnly: true | undefined, caller: Caller): void {
  if (adminsOnly === true && !caller.admin)
    throw new ServiceError(
      'PERMISSION_DENIED',
      `This is for administrators only, and user ${caller.userName} is none.`,
    );
}

/** Operations on jobs that do not say what they need: a mistake that would let everybody pass. */
export function findOperationsWithoutAccess<
  Operation extends { readonly path: string; readonly access?: Access },
>(operations: readonly Operation[]): Operation[] {
  return operations.filter(
    ({ path, access }) => /^\/(jobs|permissions)\//.test(path) && access === undefined,
  );
}
