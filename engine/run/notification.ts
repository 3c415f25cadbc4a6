/** Notification of an event of a run or job. The transaction of the event stores it in the outbox. */
import type { Explanation } from './explain/explanation.ts';
import type { LifeCycleState, ResultState } from './states.ts';

/** Events of spec section 6, mails of spec 5.7, and the test of a destination. */
export type NotificationEvent =
  | 'on_start'
  | 'on_success'
  | 'on_failure'
  | 'on_duration_warning_threshold_exceeded'
  | 'job_deleted'
  | 'token_scopes_reminder'
  | 'token_scopes_enforced'
  | 'test';

/** State of a run or task run at the event; it may differ from the state at the delivery. */
export interface RunStateSnapshot {
  readonly state: LifeCycleState;
  readonly result?: ResultState | undefined;
  readonly message: string;
  readonly explanation?: Explanation | undefined;
  /** Epoch ms. */
  readonly startTime?: number | undefined;
  /** Epoch ms. */
  readonly endTime?: number | undefined;
}

/** Token whose scopes are, or will be, enforced. */
export interface TokenDetails {
  readonly tokenId: string;
  readonly comment: string;
  readonly scopes: readonly string[];
  /** Epoch ms. */
  readonly enforcementTime: number;
}

export interface AttemptNumber {
  readonly number: number;
  /** Undefined: without a limit. */
  readonly of: number | undefined;
}

/** Details of the event that are not available later. */
export interface NotificationDetails {
  readonly state?: RunStateSnapshot | undefined;
  /** Number of the attempt, from 1, and how many there can be; undefined when there can be only one. */
  readonly attempt?: AttemptNumber | undefined;
  readonly token?: TokenDetails | undefined;
}

export interface RunNotification {
  readonly event: NotificationEvent;
  /** The recipient of `email` is an address, of `webhook` the id of a destination. */
  readonly channel: 'email' | 'webhook';
  readonly recipient: string;
  /** Undefined for a notification about a token. */
  readonly jobId: number | undefined;
  readonly runId: number | undefined;
  /** Set for a notification about one task of a run. */
  readonly taskKey: string | undefined;
  readonly createdTime: number;
  readonly facts?: NotificationDetails | undefined;
}
