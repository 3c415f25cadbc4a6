/** Kysely types of the tables of notifications: outbox, destinations, deliveries. */
import type { Generated } from 'kysely';
import type { DeliveryState, DeliveryMessage } from '../../../engine/notification/delivery.ts';
import type { SigningSecrets, DestinationTarget } from '../../../engine/notification/destination.ts';
import type {
  RunNotification,
  NotificationEvent,
  NotificationDetails,
} from '../../../engine/run/notification.ts';
import type { JsonColumn } from '../json-column.ts';

export interface OutboxTable {
  outbox_event_id: Generated<number>;
  event: string;
  channel: 'email' | 'webhook';
  recipient: string;
  job_id: number | null;
  run_id: number | null;
  task_key: string | null;
  created_time: number;
  facts: JsonColumn<NotificationDetails>;
  /** Time when the dispatcher turned the event into deliveries, epoch ms. */
  dispatched_time: number | null;
}

export interface DestinationTable {
  destination_id: Generated<string>;
  destination_number: Generated<number>;
  display_name: string;
  target: JsonColumn<DestinationTarget>;
  secrets: JsonColumn<SigningSecrets> | null;
  created_time: number;
}

export interface DeliveryTable {
  delivery_id: Generated<string>;
  delivery_number: Generated<number>;
  outbox_event_id: number | null;
  event: NotificationEvent;
  channel: RunNotification['channel'];
  queue_key: string;
  ordering_key: string;
  destination_id: string | null;
  address: string | null;
  job_id: number | null;
  job_run_id: number | null;
  run_id: number | null;
  task_key: string | null;
  created_time: number;
  facts: JsonColumn<NotificationDetails>;
  message: JsonColumn<DeliveryMessage> | null;
  state: Generated<DeliveryState>;
  attempts: Generated<number>;
  round_attempts: Generated<number>;
  round_start_time: number | null;
  next_attempt_time: number | null;
  claimed_by: string | null;
}

export interface DeliveryAttemptTable {
  delivery_id: string;
  number: number;
  time: number;
  duration_ms: number;
  status: number | null;
  answer: string | null;
  error: string | null;
}

export interface NotificationTables {
  outbox: OutboxTable;
  destinations: DestinationTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
}
