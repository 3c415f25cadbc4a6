/** Operations on the permission to use tokens, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getTokenPermissionsOperation } from './get.ts';
import { listTokenPermissionLevelsOperation } from './list-levels.ts';
import { replaceTokenPermissionsOperation } from './replace.ts';
import { updateTokenPermissionsOperation } from './update.ts';

/** Creates the operations on token permissions. */
export function createTokenPermissionOperations(ports: OperationPorts): Operation[] {
  return [
    getTokenPermissionsOperation(ports),
    replaceTokenPermissionsOperation(ports),
    updateTokenPermissionsOperation(ports),
    listTokenPermissionLevelsOperation(),
  ];
}
