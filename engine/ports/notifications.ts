/** Outbox, deliveries and destinations. Types only; storage/ implements them. */
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

/** Store of deliveries, from the outbox event to the recorded result. A queue key limits parallelism. */
export interface DeliveryStore {
  /**
   * Turns at most `limit` outbox events into deliveries, oldest first, and notifies every engine of their
   * queue keys. Returns the number of events.
   */
  dispatchOutboxEvents(now: number, limit: number): Promise<number>;
  /** Returns the queue keys with a delivery due now, and the time when the next one is due (epoch ms). */
  findDueQueueKeys(
    now: number,
  ): Promise<{ readonly due: readonly string[]; readonly next: number | undefined }>;
  /**
   * Claims at most `limit` due deliveries of a queue key for a node: per run and recipient only the oldest
   * pending one. Claims of a node without a lease are void.
   */
  claim(queueKey: string, nodeId: string, now: number, limit: number): Promise<ClaimedDelivery[]>;
  /** Returns the facts of a message; undefined when neither the run nor the job exists any more. */
  findSubjectFacts(subject: DeliverySubject): Promise<SubjectDetails | undefined>;
  /** Stores a message before it is sent. */
  saveMessage(deliveryId: string, message: DeliveryMessage): Promise<void>;
  /**
   * Records an attempt and the decision that follows; does nothing when another node has claimed the
   * delivery. Waits while the database is away.
   */
  recordAttempt(
    deliveryId: string,
    nodeId: string,
    attempt: DeliveryAttempt,
    after: AttemptDecision,
  ): Promise<void>;
  /**
   * Postpones a delivery that could not be attempted, until a time in epoch ms. Waits while the database is
   * away.
   */
  postpone(deliveryId: string, nodeId: string, until: number): Promise<void>;
  /** Releases all claims of a node without recording an attempt. */
  release(nodeId: string): Promise<void>;
}

export interface DeliveryFilter {
  readonly jobId: number | undefined;
  /** Id of a run or task run; a run includes the deliveries of its tasks. */
  readonly runId: number | undefined;
  readonly destinationId: string | undefined;
  readonly state: DeliveryState | undefined;
  /** User name; restricts the list to jobs on which this user has a permission. */
  readonly visibleTo: string | undefined;
  /** Cursor: restricts the list to deliveries with a smaller number. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Log of deliveries. */
export interface DeliveryLog {
  /** Lists deliveries, newest first. */
  list(filter: DeliveryFilter): Promise<DeliveryRecord[]>;
  find(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Sends a delivery again at once, with a new round of attempts. */
  redeliver(deliveryId: string, now: number): Promise<void>;
}

export interface NewDestination {
  readonly displayName: string;
  readonly target: DestinationTarget;
  readonly secrets: SigningSecrets | undefined;
  readonly now: number;
}

export interface DestinationStore {
  /** Stores a destination and returns its id. @throws ServiceError QUOTA_EXCEEDED when there are `maximum` */
  create(destination: NewDestination, maximum: number): Promise<string>;
  find(destinationId: string): Promise<Destination | undefined>;
  /** Lists destinations, oldest first. @param after cursor: only destinations with a greater number */
  list(after: number | undefined, limit: number): Promise<Destination[]>;
  /** Updates a destination; undefined when it does not exist. Concurrent updates run one after the other. */
  update(
    destinationId: string,
    change: (before: Destination) => Destination,
  ): Promise<Destination | undefined>;
  /** Removes a destination and fails its pending deliveries; false when it does not exist. */
  remove(destinationId: string): Promise<boolean>;
  /** Returns those ids that belong to no destination. */
  findUnknownIds(destinationIds: readonly string[]): Promise<string[]>;
  /** Enqueues a test notification and returns the id of its delivery. */
  createTestDelivery(destinationId: string, now: number): Promise<string>;
}
