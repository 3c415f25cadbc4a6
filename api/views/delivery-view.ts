/** A delivery as the log shows it. */
import { Type } from 'typebox';
import { deliveryStates, type DeliveryRecord } from '../../engine/notification/delivery.ts';
import { eventTypeOf } from '../../engine/notification/event-types.ts';
import { Id } from '../../engine/validation/scalars.ts';

const DeliveryAttemptDocument = Type.Object(
  {
    time: Type.Integer({ description: 'When it began, epoch milliseconds.' }),
    duration_ms: Type.Integer({ description: 'How long it took.' }),
    status: Type.Optional(
      Type.Integer({ description: 'HTTP status or SMTP reply code, when there was an answer.' }),
    ),
    answer: Type.Optional(Type.String({ description: 'Beginning of the answer.' })),
    error: Type.Optional(Type.String({ description: 'What went wrong.' })),
  },
  { description: 'One try.' },
);

export const DeliveryDocument = Type.Object(
  {
    id: Type.String({
      description: 'Id of the delivery: webhook-id of its calls, and part of the Message-ID of its mail.',
    }),
    event_type: Type.String({ description: 'What it tells, such as jobs.on_failure.' }),
    channel: Type.Enum(['email', 'webhook'], { description: 'To an address, or to a destination.' }),
    destination_id: Type.Optional(Type.String({ description: 'The destination.' })),
    address: Type.Optional(Type.String({ description: 'The mail address.' })),
    job_id: Type.Optional(Type.Integer({ ...Id, description: 'The job.' })),
    run_id: Type.Optional(Type.Integer({ ...Id, description: 'The run or task run.' })),
    task_key: Type.Optional(Type.String({ description: 'The task, for a notice about one.' })),
    creation_time: Type.Integer({ description: 'When it happened, epoch milliseconds.' }),
    state: Type.Enum([...deliveryStates], {
      description: 'pending: it is tried until it is delivered or has failed.',
    }),
    attempts: Type.Array(DeliveryAttemptDocument, { description: 'Every try, oldest first.' }),
    next_attempt_time: Type.Optional(
      Type.Integer({ description: 'When it is tried next, epoch milliseconds; while it is pending.' }),
    ),
  },
  { description: 'One notice on its way to one recipient.' },
);

export function toDeliveryView(delivery: DeliveryRecord): object {
  return {
    id: delivery.deliveryId,
    event_type: eventTypeOf[delivery.event],
    channel: delivery.channel,
    destination_id: delivery.destinationId,
    address: delivery.address,
    job_id: delivery.jobId,
    run_id: delivery.runId,
    task_key: delivery.taskKey,
    creation_time: delivery.createdTime,
    state: delivery.state,
    attempts: delivery.attempts.map(({ time, durationMs, status, response, error }) => ({
      time,
      duration_ms: durationMs,
      status,
      answer: response,
      error,
    })),
    next_attempt_time: delivery.nextAttemptTime,
  };
}
