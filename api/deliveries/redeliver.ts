/** POST notifications/deliveries/{id}/redeliver. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { permissionDenied, hasPermission } from '../../engine/job/permissions.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts, OperationPorts } from '../http/ports.ts';

/**
 * Sends the same message with the same id again.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown or hidden delivery; PERMISSION_DENIED without
 * CAN_MANAGE_RUN on the job
 */
export function redeliverOperation({
  deliveries,
  permissions,
  clock,
}: Pick<NotificationPorts, 'deliveries' | 'clock'> & Pick<OperationPorts, 'permissions'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/notifications/deliveries/:id/redeliver',
    versions: ['2.0'],
    scope: 'notifications',
    summary: 'Redeliver a notification',
    description:
      'Sends the same message with the same id again, immediately, and retries for up to 24 hours. Under job access control: CAN_MANAGE_RUN on the job.',
    request: Type.Object({ id: Type.String({ description: 'Id of the delivery.' }) }),
    response: Type.Object({}),
    async handle({ id }, { visibleTo }) {
      const delivery = await deliveries.find(id);
      if (delivery === undefined) throw deliveryNotFound(id);
      if (visibleTo !== undefined) {
        const held =
          delivery.jobId === undefined
            ? undefined
            : await permissions.findLevels('job_id', delivery.jobId, visibleTo);
        // A hidden delivery is reported as unknown, which does not reveal its existence.
        if (held === undefined || !hasPermission(held.levels, 'CAN_VIEW')) throw deliveryNotFound(id);
        if (!hasPermission(held.levels, 'CAN_MANAGE_RUN'))
          throw permissionDenied(visibleTo, 'CAN_MANAGE_RUN', held.jobId);
      }
      await deliveries.redeliver(id, clock.now());
      return {};
    },
  });
}

function deliveryNotFound(id: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Delivery ${truncateText(id)} does not exist.`);
}
