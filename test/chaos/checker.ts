/** The checker: every promise as one invariant over the evidence of a scene. */
import type { Evidence, Invariant } from './evidence.ts';
import {
  attemptsAreAsManyAsAllowed,
  attemptsNeverOverlap,
  retriesWaitForTheirTime,
  stoppedRunsAreNotRetried,
  tasksWaitForTheirDependencies,
} from './invariants/attempts.ts';
import {
  acknowledgedRunsAreThere,
  cancelsAreKept,
  everythingIsOver,
  internalErrorsHaveAReason,
  resultsAreThoseOfThePrograms,
  runsEndAsTheirTasks,
  stopsHaveAReason,
} from './invariants/ends.ts';
import { noticesAreStoredOnce, noticesHaveOneDelivery } from './invariants/notices.ts';
import {
  limitsAreKept,
  numbersHaveNoGaps,
  runJobTasksHaveOneRun,
  tokensHaveOneRun,
} from './invariants/places.ts';
import {
  logsAreWhole,
  noAnswerIsWrong,
  noClusterIsLeft,
  noProcessIsLeft,
  processesLiveWithinTheirAttempt,
  processesRunOnce,
} from './invariants/traces.ts';

export const invariants = {
  'every acknowledged run is stored': acknowledgedRunsAreThere,
  'every run and attempt is over': everythingIsOver,
  'attempts of a task never overlap': attemptsNeverOverlap,
  'there are as many attempts as the policy says': attemptsAreAsManyAsAllowed,
  'a retry waits for its time': retriesWaitForTheirTime,
  'a stopped run is not retried': stoppedRunsAreNotRetried,
  'a task waits for its dependencies': tasksWaitForTheirDependencies,
  'a process runs once for each attempt': processesRunOnce,
  'a process lives within its attempt': processesLiveWithinTheirAttempt,
  'a result is what the program said': resultsAreThoseOfThePrograms,
  'a stop has a reason': stopsHaveAReason,
  'a cancel is kept': cancelsAreKept,
  'a run ends as its tasks say': runsEndAsTheirTasks,
  'INTERNAL_ERROR has a killed task as its reason': internalErrorsHaveAReason,
  'numbers in job have no gaps': numbersHaveNoGaps,
  'max_concurrent_runs is never passed': limitsAreKept,
  'a token has one run': tokensHaveOneRun,
  'a run_job_task has one run': runJobTasksHaveOneRun,
  'a notice is stored once': noticesAreStoredOnce,
  'a notice has one delivery': noticesHaveOneDelivery,
  'logs are whole': logsAreWhole,
  'no process is left': noProcessIsLeft,
  'no cluster is left': noClusterIsLeft,
  'no answer is wrong': noAnswerIsWrong,
} satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof invariants;

export interface Violation {
  readonly invariant: string;
  /** The run that it is about, where it is about one. */
  readonly runId: number | undefined;
  readonly what: string;
}

export interface Verdict {
  /** Things that were looked at, by invariant. */
  readonly looks: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

export function check(evidence: Evidence): Verdict {
  const looks = new Map<string, number>();
  const violations: Violation[] = [];
  for (const [invariant, hold] of Object.entries(invariants)) {
    hold(evidence, (sound, runId, what) => {
      looks.set(invariant, (looks.get(invariant) ?? 0) + 1);
      if (!sound) violations.push({ invariant, runId, what: what() });
    });
  }
  return { looks, violations };
}
