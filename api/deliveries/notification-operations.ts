/** The operations on notices: where they go, and what became of them. */
import { listDeliveriesOperation } from './list.ts';
import { redeliverOperation } from './redeliver.ts';
import { createDestinationOperation } from '../destinations/create.ts';
import { deleteDestinationOperation } from '../destinations/delete.ts';
import { getDestinationOperation } from '../destinations/get.ts';
import { listDestinationsOperation } from '../destinations/list.ts';
import { rotateDestinationSecretOperation } from '../destinations/rotate-secret.ts';
import { testDestinationOperation } from '../destinations/test.ts';
import { updateDestinationOperation } from '../destinations/update.ts';

/** In the order of the documentation. */
export const notificationOperationFactories = [
  createDestinationOperation,
  listDestinationsOperation,
  getDestinationOperation,
  updateDestinationOperation,
  deleteDestinationOperation,
  testDestinationOperation,
  rotateDestinationSecretOperation,
  listDeliveriesOperation,
  redeliverOperation,
];
