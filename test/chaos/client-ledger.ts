/**
 * Record of a scenario on the client side: acknowledged requests, killed attempts and unexpected responses.
 */

/** Response that named a run. */
export interface AcknowledgedRun {
  /** Scope of the idempotency token: the job, or 0 for submissions. */
  readonly scope: number;
  readonly token: string;
  readonly runId: number;
}

export interface Ledger {
  readonly acknowledgedRuns: AcknowledgedRun[];
  /** Time (epoch ms) of each acknowledged cancel, by run. */
  readonly cancelledRuns: Map<number, number>;
  /** Runs that clients asked to repair. */
  readonly repairedRuns: number[];
  /** Task runs with a process that the suite killed. */
  readonly killedAttempts: Set<number>;
  /** Responses that no fault explains: neither a success, nor a justified refusal, nor a request to retry. */
  readonly unexpectedResponses: string[];
  /** Number of actions and faults by name. */
  readonly counts: Map<string, number>;
}

export function createLedger(): Ledger {
  return {
    acknowledgedRuns: [],
    cancelledRuns: new Map(),
    repairedRuns: [],
    killedAttempts: new Set(),
    unexpectedResponses: [],
    counts: new Map(),
  };
}

export function incrementCount({ counts }: Pick<Ledger, 'counts'>, name: string, times = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + times);
}
