/**
 * What happened in a scene as the suite itself saw it: what was acknowledged, whom it hit, and what was
 * answered wrongly.
 */

/** An answer that named a run. */
export interface AcknowledgedRun {
  /** Where the idempotency token counts: the job, or 0 for submissions. */
  readonly scope: number;
  readonly token: string;
  readonly runId: number;
}

export interface Ledger {
  readonly acknowledgedRuns: AcknowledgedRun[];
  /** Runs whose cancel was acknowledged, with the moment (epoch ms). */
  readonly cancelledRuns: Map<number, number>;
  /** Repairs that were acknowledged. */
  readonly repairedRuns: number[];
  /** Task runs of which the suite killed a process. */
  readonly killedAttempts: Set<number>;
  /** Answers that no fault excuses: everything but success, a refusal with a reason, and "later". */
  readonly unexpectedResponses: string[];
  /** How often something was done, by its name. */
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
