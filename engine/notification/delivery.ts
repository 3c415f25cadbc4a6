/** A delivery: one notice on its way to one recipient, with everything that was tried. */
import type { Destination, DestinationTarget } from './destination.ts';
import type { NotificationEvent, NotificationDetails } from '../run/notification.ts';

/** Queue key of all mail. Every destination has a queue key of its own. */
export const emailQueueKey = 'email';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What is sent, as it stays from its first try on. */
export type DeliveryMessage =
  | { readonly kind: 'mail'; readonly subject: string; readonly text: string; readonly html: string }
  /** A JSON text in the format of one kind of destination. */
  | { readonly kind: Exclude<DestinationTarget['kind'], 'EMAIL'>; readonly body: string };

/** What a delivery is about. */
export interface DeliverySubject {
  readonly event: NotificationEvent;
  readonly jobId: number | undefined;
  /** Of the run or task run. */
  readonly runId: number | undefined;
  readonly taskKey: string | undefined;
  /** When it happened, epoch ms. */
  readonly createdTime: number;
  readonly facts: NotificationDetails;
}

/** A delivery that this node has taken on itself. */
export interface ClaimedDelivery extends DeliverySubject {
  /** Stays the same however often it is sent: receivers tell duplicates by it. */
  readonly deliveryId: string;
  /** An e-mail address, or the id of a destination. */
  readonly to:
    | { readonly address: string }
    | { readonly destinationId: string; readonly destination: Destination | undefined };
  /** Undefined until the first try. */
  readonly message: DeliveryMessage | undefined;
  /** Tries so far, of all rounds. */
  readonly attempts: number;
  /** Tries of this round; a redelivery begins another one. */
  readonly roundAttempts: number;
  readonly roundStartTime: number | undefined;
}

/** One try, for the log. */
export interface DeliveryAttempt {
  /** Epoch ms. */
  readonly time: number;
  readonly durationMs: number;
  /** HTTP status or SMTP reply code, when there was an answer. */
  readonly status?: number | undefined;
  /** Beginning of the answer. */
  readonly response?: string | undefined;
  readonly error?: string | undefined;
}

/** A delivery as the log shows it. */
export interface DeliveryRecord {
  readonly deliveryId: string;
  /** Rises with every delivery. */
  readonly number: number;
  readonly event: NotificationEvent;
  readonly channel: 'email' | 'webhook';
  readonly destinationId: string | undefined;
  readonly address: string | undefined;
  readonly jobId: number | undefined;
  readonly runId: number | undefined;
  readonly taskKey: string | undefined;
  readonly createdTime: number;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptTime: number | undefined;
}

/** What a message says of a run or job beyond the delivery itself. */
export interface SubjectDetails {
  readonly jobName: string;
  /** The run of a task run; undefined for a run itself. */
  readonly parentRunId: number | undefined;
  /** When the run or task run started, epoch ms. */
  readonly startTime?: number | undefined;
  /**
   * Tasks that did not succeed, in their latest attempts; for runs of several tasks that have failed, and of
   * one task.
   */
  readonly failedTasks: readonly FailedTask[];
}

export interface FailedTask {
  readonly taskKey: string;
  readonly runId: number;
  /** `FAILED`, `TIMEDOUT`, ..., or the state when there is no result. */
  readonly state: string;
  readonly message: string;
}
