/** A notice: what an event of a run or job announces. It is stored in the transaction of the event (the outbox). */

/** Spec section 6. */
export type NoticeEvent = 'on_start' | 'on_success' | 'on_failure' | 'on_duration_warning_threshold_exceeded' | 'job_deleted';

export interface Notice {
  readonly event: NoticeEvent;
  /** `email` carries an address, `webhook` the id of a destination. */
  readonly channel: 'email' | 'webhook';
  readonly recipient: string;
  readonly jobId: number;
  readonly runId: number | undefined;
  /** Set for a notice about one task of a run. */
  readonly taskKey: string | undefined;
  readonly createdTime: number;
}
