/** Delivery of a notification in responses. */
import { Type } from 'typebox';
import { deliveryStates, type DeliveryRecord } from '../../engine/notification/delivery.ts';
import { eventTypeOf } from '../../engine/notification/event-types.ts';
import { Id } from '../../engine/validation/scalars.ts';

const DeliveryAttemptDocument = Type.Object(
  {
    time: Type.Integer({ description: 'Start time, epoch milliseconds.' }),
    duration_ms: Type.Integer({ description: 'Duration in milliseconds.' }),
    status: Type.Optional(
      Type.Integer({ description: 'HTTP status or SMTP reply code; absent without a response.' }),
    ),
    answer: Type.Optional(Type.String({ description: 'Beginning of the response.' })),
    error: Type.Optional(Type.String({ description: 'Error of a failed attempt.' })),
  },
  { description: 'Delivery attempt.' },
);

export const DeliveryDocument = Type.Object(
  {
    id: Type.String({
      description:
        'Id of the delivery: the webhook-id of its requests, and part of the Message-ID of its e-mail.',
    }),
    event_type: Type.String({ description: 'Type of the event, such as jobs.on_failure.' }),
    channel: Type.Enum(['email', 'webhook'], { description: 'Channel: an e-mail address or a destination.' }),
    destination_id: Type.Optional(Type.String({ description: 'Id of the destination.' })),
    address: Type.Optional(Type.String({ description: 'E-mail address.' })),
    job_id: Type.Optional(Type.Integer({ ...Id, description: 'Id of the job.' })),
    run_id: Type.Optional(Type.Integer({ ...Id, description: 'Id of the run or task run.' })),
    task_key: Type.Optional(
      Type.String({ description: 'Key of the task, for a notification about a task.' }),
    ),
    creation_time: Type.Integer({ description: 'Time of the event, epoch milliseconds.' }),
    state: Type.Enum([...deliveryStates], {
      description: 'pending: attempts continue until it is delivered or has failed.',
    }),
    attempts: Type.Array(DeliveryAttemptDocument, { description: 'All attempts, oldest first.' }),
    next_attempt_time: Type.Optional(
      Type.Integer({ description: 'Time of the next attempt, epoch milliseconds; only while pending.' }),
    ),
  },
  { description: 'Delivery of one notification to one recipient.' },
);

/** Returns the document of a delivery. */
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
