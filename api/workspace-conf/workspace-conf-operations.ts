/** Operations on workspace settings, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getWorkspaceConfOperation } from './get.ts';
import { updateWorkspaceConfOperation } from './update.ts';

/** Creates the operations on workspace settings. */
export function createWorkspaceConfOperations(ports: OperationPorts): Operation[] {
  return [getWorkspaceConfOperation, updateWorkspaceConfOperation].map((create) => create(ports));
}
