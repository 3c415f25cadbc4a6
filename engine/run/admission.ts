/** Whether a new run may start now (spec 2.2 max_concurrent_runs, 3.1). */

export interface AdmissionFacts {
  /** Active runs of the job, counted under the job's lock. */
  readonly activeRuns: number;
  /** The job's max_concurrent_runs; 0 makes every new run skipped. */
  readonly maxConcurrentRuns: number;
}

export type Admission =
  | { readonly kind: 'start' }
  /** Ends at once as SKIPPED, without preparing resources. */
  | { readonly kind: 'skip'; readonly message: string };

/** Decides the first state of a new run. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  if (facts.activeRuns < facts.maxConcurrentRuns) return { kind: 'start' };
  const limit = facts.maxConcurrentRuns;
  return {
    kind: 'skip',
    message: `Skipping this run because the limit of ${limit} maximum concurrent runs has been reached.`,
  };
}
