/** Operations of administrators on all tokens, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { createTokenOnBehalfOperation } from './create.ts';
import { deleteAnyTokenOperation } from './delete.ts';
import { getAnyTokenOperation } from './get.ts';
import { listAllTokensOperation } from './list.ts';
import { updateAnyTokenOperation } from './update.ts';

/** Creates the operations on the tokens of all users. */
export function createTokenManagementOperations(ports: OperationPorts): Operation[] {
  return [
    createTokenOnBehalfOperation,
    listAllTokensOperation,
    getAnyTokenOperation,
    updateAnyTokenOperation,
    deleteAnyTokenOperation,
  ].map((create) => create(ports));
}
