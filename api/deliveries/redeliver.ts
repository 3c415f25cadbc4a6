/** POST notifications/deliveries/{id}/redeliver. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { permissionDenied, hasPermission } from '../../engine/job/permissions.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { NotificationPorts, OperationPorts } from '../http/ports.ts';

/** Sends a notice again: what was sent before, under the same id. */
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
    summary: 'Send a notice again',
    description:
      'Sends the same message with the same id once more, at once, and tries for another 24 hours. Under job access control: CAN_MANAGE_RUN on the job.',
    request: Type.Object({ id: Type.String({ description: 'The delivery.' }) }),
    response: Type.Object({}),
    async handle({ id }, { visibleTo }) {
      const delivery = await deliveries.find(id);
      if (delivery === undefined) throw deliveryNotFound(id);
      if (visibleTo !== undefined) {
        const held =
          delivery.jobId === undefined
            ? undefined
            : await permissions.findLevels('job_id', delivery.jobId, visibleTo);
        // Whoever may not see it is not told that it is there.
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
