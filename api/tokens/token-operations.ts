/** Operations on the caller's own tokens, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { createTokenOperation } from './create.ts';
import { deleteTokenOperation } from './delete.ts';
import { listTokensOperation } from './list.ts';
import { updateTokenOperation } from './update.ts';

/** Creates the operations on the tokens of the caller. */
export function createTokenOperations(ports: OperationPorts): Operation[] {
  return [createTokenOperation, listTokensOperation, updateTokenOperation, deleteTokenOperation].map(
    (create) => create(ports),
  );
}
