/** The checker: every promise as one invariant over the evidence of a scene. */
import type { Evidence, Invariant } from './evidence.ts';
import {
  attemptCountsFollowPolicy,
  attemptsNeverOverlap,
  retriesWaitForInterval,
  stoppedRunsAreNotRetried,
  tasksWaitForUpstream,
} from './invariants/attempts.ts';
import {
  acknowledgedRunsAreStored,
  cancelsAreHonored,
  allRunsHaveEnded,
  internalErrorsHaveAReason,
  resultsMatchPrograms,
  runResultsMatchTasks,
  stopsHaveAReason,
} from './invariants/results.ts';
import { notificationsAreStoredOnce, notificationsHaveOneDelivery } from './invariants/notifications.ts';
import {
  concurrencyLimitsAreKept,
  runNumbersHaveNoGaps,
  runJobTasksHaveOneRun,
  tokensHaveOneRun,
} from './invariants/concurrency.ts';
import {
  logsAreComplete,
  noUnexpectedResponses,
  noClusterIsLeaked,
  noProcessIsLeaked,
  processesEndWithAttempt,
  processesRunOncePerAttempt,
} from './invariants/processes.ts';

export const invariants = {
  'every acknowledged run is stored': acknowledgedRunsAreStored,
  'every run and attempt is over': allRunsHaveEnded,
  'attempts of a task never overlap': attemptsNeverOverlap,
  'there are as many attempts as the policy says': attemptCountsFollowPolicy,
  'a retry waits for its time': retriesWaitForInterval,
  'a stopped run is not retried': stoppedRunsAreNotRetried,
  'a task waits for its dependencies': tasksWaitForUpstream,
  'a process runs once for each attempt': processesRunOncePerAttempt,
  'a process lives within its attempt': processesEndWithAttempt,
  'a result is what the program said': resultsMatchPrograms,
  'a stop has a reason': stopsHaveAReason,
  'a cancel is kept': cancelsAreHonored,
  'a run ends as its tasks say': runResultsMatchTasks,
  'INTERNAL_ERROR has a killed task as its reason': internalErrorsHaveAReason,
  'numbers in job have no gaps': runNumbersHaveNoGaps,
  'max_concurrent_runs is never passed': concurrencyLimitsAreKept,
  'a token has one run': tokensHaveOneRun,
  'a run_job_task has one run': runJobTasksHaveOneRun,
  'a notice is stored once': notificationsAreStoredOnce,
  'a notice has one delivery': notificationsHaveOneDelivery,
  'logs are whole': logsAreComplete,
  'no process is left': noProcessIsLeaked,
  'no cluster is left': noClusterIsLeaked,
  'no answer is wrong': noUnexpectedResponses,
} satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof invariants;

export interface Violation {
  readonly invariant: string;
  /** The run that it is about, where it is about one. */
  readonly runId: number | undefined;
  readonly message: string;
}

export interface InvariantReport {
  /** Things that were looked at, by invariant. */
  readonly checkCounts: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

export function checkInvariants(evidence: Evidence): InvariantReport {
  const looks = new Map<string, number>();
  const violations: Violation[] = [];
  for (const [invariant, hold] of Object.entries(invariants)) {
    hold(evidence, (sound, runId, what) => {
      looks.set(invariant, (looks.get(invariant) ?? 0) + 1);
      if (!sound) violations.push({ invariant, runId, message: what() });
    });
  }
  return { checkCounts: looks, violations };
}
