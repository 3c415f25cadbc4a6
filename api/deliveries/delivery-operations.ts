/** Operations on deliveries of notifications, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { listDeliveriesOperation } from './list.ts';
import { redeliverOperation } from './redeliver.ts';

/** Creates the operations on deliveries. */
export function createDeliveryOperations(ports: OperationPorts): Operation[] {
  return [listDeliveriesOperation, redeliverOperation].map((create) => create(ports));
}
