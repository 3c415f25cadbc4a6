/** Operations on the permissions of jobs, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { PermissionPorts } from './access-control-list.ts';
import { getPermissionsOperation } from './get.ts';
import { listPermissionLevelsOperation } from './list-levels.ts';
import { replacePermissionsOperation } from './replace.ts';
import { updatePermissionsOperation } from './update.ts';

/** Creates the operations on job permissions. */
export function createPermissionOperations(ports: PermissionPorts): Operation[] {
  return [
    getPermissionsOperation,
    replacePermissionsOperation,
    updatePermissionsOperation,
    listPermissionLevelsOperation,
  ].map((create) => create(ports));
}
