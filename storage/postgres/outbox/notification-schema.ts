/** The tables of deliveries as Kysely sees them; the truth is storage/migrations/notification-tables.ts. */
import type { ColumnType, Generated } from 'kysely';
import type { DeliveryState, DeliveryMessage } from '../../../engine/notification/delivery.ts';
import type { SigningSecrets, DestinationTarget } from '../../../engine/notification/destination.ts';
import type {
  RunNotification,
  NotificationEvent,
  NotificationDetails,
} from '../../../engine/run/notification.ts';

/** A JSONB column: read as a value, written as JSON text. */
type Json<Value> = ColumnType<Value, string, string>;

export interface DestinationTable {
  destination_id: Generated<string>;
  destination_number: Generated<number>;
  display_name: string;
  target: Json<DestinationTarget>;
  secrets: Json<SigningSecrets> | null;
  created_time: number;
}

export interface DeliveryTable {
  delivery_id: Generated<string>;
  delivery_number: Generated<number>;
  notice_id: number | null;
  event: NotificationEvent;
  channel: RunNotification['channel'];
  way: string;
  lane: string;
  destination_id: string | null;
  address: string | null;
  job_id: number | null;
  job_run_id: number | null;
  run_id: number | null;
  task_key: string | null;
  created_time: number;
  facts: Json<NotificationDetails>;
  message: Json<DeliveryMessage> | null;
  state: Generated<DeliveryState>;
  attempts: Generated<number>;
  round_tries: Generated<number>;
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
  destinations: DestinationTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
}
