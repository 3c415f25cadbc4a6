/** Operations on notification destinations, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { NotificationPorts } from '../http/ports.ts';
import { createDestinationOperation } from './create.ts';
import { deleteDestinationOperation } from './delete.ts';
import { getDestinationOperation } from './get.ts';
import { listDestinationsOperation } from './list.ts';
import { rotateDestinationSecretOperation } from './rotate-secret.ts';
import { testDestinationOperation } from './test.ts';
import { updateDestinationOperation } from './update.ts';

/** Creates the operations on notification destinations. */
export function createDestinationOperations(ports: NotificationPorts): Operation[] {
  return [
    createDestinationOperation,
    listDestinationsOperation,
    getDestinationOperation,
    updateDestinationOperation,
    deleteDestinationOperation,
    testDestinationOperation,
    rotateDestinationSecretOperation,
  ].map((create) => create(ports));
}
