/** Whether a new run may start now (spec 2.2 max_concurrent_runs, 3.1; 7 and 8 for the task runs of the workspace). */
import { ServiceError } from '../errors.ts';
import type { Limits } from '../limits.ts';

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

/** When a refused run may be asked for again. Nobody knows when a task ends: soon enough, and no burden. */
const retrySeconds = 10;

/**
 * Refuses a run whose task runs would be more than may be active at once in the workspace (spec 7, 8).
 * @param active task runs that are active, counted so that no other launch can take the same room
 * @param added task runs of the new run
 * @throws ServiceError REQUEST_LIMIT_EXCEEDED with the time after which to try again
 */
export function checkCapacity(active: number, added: number, limits: Pick<Limits, 'concurrentTaskRuns'>): void {
  const reason = reasonToSkip(active, added, limits);
  if (reason !== undefined) throw new ServiceError('REQUEST_LIMIT_EXCEEDED', reason, retrySeconds);
}

/** The same for a run that a schedule starts: the message with which it is skipped, undefined when there is room. */
export function reasonToSkip(active: number, added: number, { concurrentTaskRuns: most }: Pick<Limits, 'concurrentTaskRuns'>): string | undefined {
  if (active + added <= most) return undefined;
  // Clients know the first sentence; for a run that has more tasks than there is room the second one explains it.
  const more = added === 1 ? '' : ` This run would add ${added}.`;
  return `There are already ${active} active runs (limit: ${most}).${more}`;
}
