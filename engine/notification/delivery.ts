/** A delivery: one notification to one recipient, with its attempts. */
import type { Destination, DestinationTarget } from './destination.ts';
import type { Explanation } from '../run/explain/explanation.ts';
import type { NotificationEvent, NotificationDetails } from '../run/notification.ts';

/** Queue key of all mail. Every destination has a queue key of its own. */
export const emailQueueKey = 'email';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Message of a delivery. It stays the same for all attempts. */
export type DeliveryMessage =
  | {
      readonly kind: 'mail';
      readonly subject: string;
      readonly text: string;
      readonly html: string;
      /** Delivery of the first mail about the same failure, whose thread this mail joins. */
      readonly inReplyTo?: string;
    }
  /** JSON text in the format of the destination kind. */
  | { readonly kind: Exclude<DestinationTarget['kind'], 'EMAIL'>; readonly body: string };

/** Subject of a delivery. */
export interface DeliverySubject {
  readonly event: NotificationEvent;
  readonly jobId: number | undefined;
  /** Id of the run or task run. */
  readonly runId: number | undefined;
  readonly taskKey: string | undefined;
  /** Time of the event, epoch ms. */
  readonly createdTime: number;
  readonly facts: NotificationDetails;
}

/** A delivery claimed by this node. */
export interface ClaimedDelivery extends DeliverySubject {
  /** The same for all attempts, so that receivers can deduplicate. */
  readonly deliveryId: string;
  /** Recipient: an e-mail address or a destination. */
  readonly to:
    | { readonly address: string }
    | { readonly destinationId: string; readonly destination: Destination | undefined };
  /** Undefined before the first attempt. */
  readonly message: DeliveryMessage | undefined;
  /** Attempts so far, of all rounds. */
  readonly attempts: number;
  /** Attempts of this round; a redelivery starts a new round. */
  readonly roundAttempts: number;
  readonly roundStartTime: number | undefined;
}

/** One attempt, for the delivery log. */
export interface DeliveryAttempt {
  /** Epoch ms. */
  readonly time: number;
  readonly durationMs: number;
  /** HTTP status or SMTP reply code, if the receiver answered. */
  readonly status?: number | undefined;
  /** First part of the answer. */
  readonly response?: string | undefined;
  readonly error?: string | undefined;
}

/** A delivery as the log shows it. */
export interface DeliveryRecord {
  readonly deliveryId: string;
  /** Sequence number. */
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

/** Facts about the run or job of a message. */
export interface SubjectDetails {
  readonly jobName: string;
  /** Run of the task run; undefined when the subject is a run. */
  readonly parentRunId: number | undefined;
  /** Start of the run or task run, epoch ms. */
  readonly startTime?: number | undefined;
  /** Latest attempts of the tasks that did not succeed; empty unless the run failed. */
  readonly failedTasks: readonly FailedTask[];
  /** Mails about earlier attempts of the same work that failed, oldest first. */
  readonly earlierMails?: readonly { readonly deliveryId: string; readonly address: string }[];
}

export interface FailedTask {
  readonly taskKey: string;
  readonly runId: number;
  /** `FAILED`, `TIMEDOUT`, ..., or the state when there is no result. */
  readonly state: string;
  readonly message: string;
  readonly explanation?: Explanation | undefined;
}
