/** What delivering notices, and the operations on it, ask of the world: types only. */
import type { AttemptDecision } from '../notification/delivery-retry.ts';
import type {
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryState,
  DeliverySubject,
  DeliveryRecord,
  DeliveryMessage,
  SubjectDetails,
} from '../notification/delivery.ts';
import type { Destination, SigningSecrets, DestinationTarget } from '../notification/destination.ts';

/** All mails share one way out, and every destination has its own. */
export const emailQueueKey = 'email';

/**
 * The way of deliveries from the outbox to their record. A `way` is what is held up together: one
 * destination, or all mail.
 */
export interface DeliveryStore {
  /**
   * Turns at most `limit` notices of the outbox into deliveries, oldest first, and tells every engine of
   * their ways. Returns how many.
   */
  dispatchOutboxEvents(now: number, limit: number): Promise<number>;
  /** Ways on which something is due now, and the next time that something will be (epoch ms). */
  findDueQueueKeys(
    now: number,
  ): Promise<{ readonly due: readonly string[]; readonly next: number | undefined }>;
  /**
   * Takes due deliveries of a way for a node, at most `limit`: of each run and recipient only the oldest that
   * is not over. What a node claimed that has no lease any more is free again.
   */
  claim(way: string, nodeId: string, now: number, limit: number): Promise<ClaimedDelivery[]>;
  /** What a message is made of; undefined when neither run nor job is there any more. */
  findSubjectFacts(subject: DeliverySubject): Promise<SubjectDetails | undefined>;
  /** Keeps what is going to be sent, before it is. */
  saveMessage(deliveryId: string, message: DeliveryMessage): Promise<void>;
  /**
   * Notes a try and what follows; nothing happens when another node has taken the delivery over. Waits while
   * the database is away.
   */
  recordAttempt(
    deliveryId: string,
    nodeId: string,
    attempt: DeliveryAttempt,
    after: AttemptDecision,
  ): Promise<void>;
  /**
   * Puts off what could not even be tried: it is due again then (epoch ms). Waits while the database is away.
   */
  postpone(deliveryId: string, nodeId: string, until: number): Promise<void>;
  /** Gives up what a node has claimed, without a word in the log. */
  release(nodeId: string): Promise<void>;
}

/** Tells of deliveries to be made. */
export interface WakeSignal {
  close(): Promise<void>;
}

export interface DeliveryFilter {
  readonly jobId: number | undefined;
  /** A run or task run; that of a run shows those of its tasks, too. */
  readonly runId: number | undefined;
  readonly destinationId: string | undefined;
  readonly state: DeliveryState | undefined;
  /** Only those of jobs on which this user has a permission. */
  readonly visibleTo: string | undefined;
  /** Only deliveries with a smaller number. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** The log of deliveries. */
export interface DeliveryLog {
  /** Newest first. */
  list(filter: DeliveryFilter): Promise<DeliveryRecord[]>;
  find(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Has it sent again, now. A round of tries begins anew. */
  redeliver(deliveryId: string, now: number): Promise<void>;
}

export interface NewDestination {
  readonly displayName: string;
  readonly target: DestinationTarget;
  readonly secrets: SigningSecrets | undefined;
  readonly now: number;
}

export interface DestinationStore {
  /** Returns its id. @throws ServiceError QUOTA_EXCEEDED when one more would be too many */
  create(destination: NewDestination, most: number): Promise<string>;
  find(destinationId: string): Promise<Destination | undefined>;
  /** Oldest first; only those with a number greater than `after`. */
  list(after: number | undefined, limit: number): Promise<Destination[]>;
  /** Undefined when there is none; concurrent changes come one after the other. */
  update(
    destinationId: string,
    change: (before: Destination) => Destination,
  ): Promise<Destination | undefined>;
  /** False when there is none. What waits for it fails. */
  remove(destinationId: string): Promise<boolean>;
  /** Those of the ids that no destination has. */
  findUnknownIds(destinationIds: readonly string[]): Promise<string[]>;
  /** Sends a test notice; returns the id of its delivery. */
  createTestDelivery(destinationId: string, now: number): Promise<string>;
}
