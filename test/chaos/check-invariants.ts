/** Checks every guarantee of the engine as an invariant over the evidence of a scenario. */
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
  'every run and attempt has ended': allRunsHaveEnded,
  'attempts of a task never overlap': attemptsNeverOverlap,
  'the number of attempts follows the retry policy': attemptCountsFollowPolicy,
  'a retry waits for its retry interval': retriesWaitForInterval,
  'a stopped run is not retried': stoppedRunsAreNotRetried,
  'a task waits for its upstream tasks': tasksWaitForUpstream,
  'a process runs once for each attempt': processesRunOncePerAttempt,
  'a process starts and ends within its attempt': processesEndWithAttempt,
  'a result matches the exit code of the program': resultsMatchPrograms,
  'a timeout or cancel has a reason': stopsHaveAReason,
  'a cancel request is honored': cancelsAreHonored,
  'the result of a run follows from its tasks': runResultsMatchTasks,
  'only a killed task ends as INTERNAL_ERROR': internalErrorsHaveAReason,
  'numbers in job have no gaps': runNumbersHaveNoGaps,
  'max_concurrent_runs is never exceeded': concurrencyLimitsAreKept,
  'an idempotency token has one run': tokensHaveOneRun,
  'a run_job_task has one child run': runJobTasksHaveOneRun,
  'a notification is stored once': notificationsAreStoredOnce,
  'a notification has one delivery': notificationsHaveOneDelivery,
  'logs are complete': logsAreComplete,
  'no process is leaked': noProcessIsLeaked,
  'no cluster is leaked': noClusterIsLeaked,
  'no response is unexpected': noUnexpectedResponses,
} satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof invariants;

export interface Violation {
  readonly invariant: string;
  /** Run that breaks the invariant; undefined when no single run does. */
  readonly runId: number | undefined;
  readonly message: string;
}

export interface InvariantReport {
  /** Number of checks by invariant. */
  readonly checkCounts: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

export function checkInvariants(evidence: Evidence): InvariantReport {
  const checkCounts = new Map<string, number>();
  const violations: Violation[] = [];
  for (const [invariant, checkInvariant] of Object.entries(invariants)) {
    checkInvariant(evidence, (holds, runId, describe) => {
      checkCounts.set(invariant, (checkCounts.get(invariant) ?? 0) + 1);
      if (!holds) violations.push({ invariant, runId, message: describe() });
    });
  }
  return { checkCounts, violations };
}
