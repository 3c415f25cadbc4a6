/**
 * A notice: what an event of a run or job announces. It is stored in the transaction of the event (the
 * outbox).
 */
import type { LifeCycleState, ResultState } from './states.ts';

/** Spec section 6, the mails of spec 5.7, and the try of a destination. */
export type NotificationEvent =
  | 'on_start'
  | 'on_success'
  | 'on_failure'
  | 'on_duration_warning_threshold_exceeded'
  | 'job_deleted'
  | 'token_scopes_reminder'
  | 'token_scopes_enforced'
  | 'test';

/** Where a run or task run stood at the event; it may have moved on by the time of the delivery. */
export interface RunStateSnapshot {
  readonly state: LifeCycleState;
  readonly result?: ResultState | undefined;
  readonly message: string;
  /** Epoch ms. */
  readonly startTime?: number | undefined;
  /** Epoch ms. */
  readonly endTime?: number | undefined;
}

/** A token whose scopes are, or will be, enforced. */
export interface TokenDetails {
  readonly tokenId: string;
  readonly comment: string;
  readonly scopes: readonly string[];
  /** Epoch ms. */
  readonly enforcementTime: number;
}

/** What is known at the event and cannot be looked up later. */
export interface NotificationDetails {
  readonly state?: RunStateSnapshot | undefined;
  readonly token?: TokenDetails | undefined;
}

export interface RunNotification {
  readonly event: NotificationEvent;
  /** `email` carries an address, `webhook` the id of a destination. */
  readonly channel: 'email' | 'webhook';
  readonly recipient: string;
  /** Undefined for what is about no job: a token. */
  readonly jobId: number | undefined;
  readonly runId: number | undefined;
  /** Set for a notice about one task of a run. */
  readonly taskKey: string | undefined;
  readonly createdTime: number;
  readonly facts?: NotificationDetails | undefined;
}
