/**
 * Attempts of a task follow one another: never two at once, never more than allowed, never fewer than
 * demanded, never after a success or a stop.
 */
import type { RunRow, TaskRunRow } from '../../../storage/postgres/runs/run-rows.ts';
import {
  indexByRunId,
  groupBy,
  roundIndexOf,
  taskSettingsOf,
  stopReasonOf,
  type Evidence,
  type Invariant,
  type ReportCheck,
} from '../evidence.ts';

interface AttemptInRound {
  readonly row: TaskRunRow;
  readonly run: RunRow;
  readonly round: number;
}

/** The attempts of each task in their order; those of a single-task run are runs of their own. */
function attemptChainsOf(evidence: Evidence): AttemptInRound[][] {
  const runs = indexByRunId(evidence.runs);
  const attempts = evidence.attempts.flatMap((row): AttemptInRound[] => {
    const run = runs.get(row.job_run_id);
    return run === undefined ? [] : [{ row, run, round: roundIndexOf(row, evidence) }];
  });
  const chains = groupBy(attempts, ({ row, run }) =>
    run.format === 'SINGLE_TASK'
      ? `run ${run.original_attempt_run_id}`
      : `task ${run.run_id} ${row.task_key}`,
  );
  const numberOf = ({ row, run }: AttemptInRound): number =>
    run.format === 'SINGLE_TASK' ? run.attempt : row.attempt;
  return [...chains.values()].map((chain) => chain.toSorted((one, other) => numberOf(one) - numberOf(other)));
}

/** Each with the one before it. */
function forEachConsecutivePair(
  chains: readonly AttemptInRound[][],
  look: (before: AttemptInRound, after: AttemptInRound) => void,
): void {
  for (const chain of chains)
    for (const [index, after] of chain.entries()) {
      const before = chain[index - 1];
      if (before !== undefined) look(before, after);
    }
}

export const attemptsNeverOverlap: Invariant = (evidence, look) => {
  forEachConsecutivePair(attemptChainsOf(evidence), (before, after) => {
    const end = Math.max(
      before.row.end_time ?? Infinity,
      evidence.programRecords.get(before.row.run_id)?.lastSeenAlive ?? 0,
    );
    const starts = [
      after.row.running_time,
      evidence.programRecords.get(after.row.run_id)?.starts[0]?.at,
    ].filter((at) => typeof at === 'number');
    const start = Math.min(Infinity, ...starts);
    look(
      start >= end || start === Infinity,
      before.run.run_id,
      () =>
        `Attempt ${after.row.run_id} began at ${start}, before attempt ${before.row.run_id} was over at ${end}.`,
    );
  });
};

/** The policy of a chain: that of the task, for a single-task run that of its settings. */
function retryPolicyOf({ row, run }: AttemptInRound) {
  return run.format === 'SINGLE_TASK' ? run.settings : taskSettingsOf(run, row);
}

function isRetryable({ row: { state, result } }: AttemptInRound, onTimeout: boolean): boolean {
  return (
    state === 'INTERNAL_ERROR' ||
    (state === 'TERMINATED' && (result === 'FAILED' || (result === 'TIMEDOUT' && onTimeout)))
  );
}

export const attemptCountsFollowPolicy: Invariant = (evidence, look) => {
  for (const chain of attemptChainsOf(evidence))
    for (const [round, attempts] of groupBy(chain, (attempt) => attempt.round)) {
      const last = attempts.at(-1);
      if (last === undefined) continue;
      const { max_retries: most = 0, retry_on_timeout: onTimeout = false } = retryPolicyOf(last);
      look(
        attempts.length <= most + 1,
        last.run.run_id,
        () =>
          `${attempts.length} attempts of ${last.row.task_key} in round ${round}, with max_retries ${most}.`,
      );
      for (const earlier of attempts.slice(0, -1)) {
        look(
          isRetryable(earlier, onTimeout),
          earlier.run.run_id,
          () =>
            `Attempt ${earlier.row.run_id} ended as ${earlier.row.state}/${earlier.row.result} and was retried.`,
        );
      }
      checkMissingRetry(evidence, last, attempts.length > most || !isRetryable(last, onTimeout), look);
    }
};

/** The last attempt of a round was the last one that is allowed, or it succeeded, or its run was stopped. */
function checkMissingRetry(
  evidence: Evidence,
  { run, row, round }: AttemptInRound,
  final: boolean,
  look: ReportCheck,
): void {
  const isLatestRound = round === evidence.repairs.filter((repair) => repair.run_id === run.run_id).length;
  // Why an earlier round was stopped is not kept.
  if (!isLatestRound) return;
  look(
    final || (run.format === 'MULTI_TASK' ? stopReasonOf(run) : run.stop_reason) !== null,
    run.run_id,
    () =>
      `Attempt ${row.run_id} of ${row.task_key} ended as ${row.state}/${row.result}, and no retry followed.`,
  );
}

export const retriesWaitForInterval: Invariant = (evidence, look) => {
  forEachConsecutivePair(attemptChainsOf(evidence), (before, after) => {
    if (before.round !== after.round || after.row.running_time === null) return;
    const due = (before.row.start_time ?? 0) + (retryPolicyOf(before).min_retry_interval_millis ?? 0);
    look(
      after.row.running_time >= due,
      after.run.run_id,
      () => `Attempt ${after.row.run_id} began at ${after.row.running_time}, before its time at ${due}.`,
    );
  });
};

export const stoppedRunsAreNotRetried: Invariant = (evidence, look) => {
  const retried = new Map(
    evidence.runs
      .filter((run) => run.attempt > 0)
      .map((run) => [`${run.original_attempt_run_id} ${run.attempt}`, run]),
  );
  for (const run of evidence.runs.filter((one) => one.stop_reason !== null && one.format === 'SINGLE_TASK')) {
    const next = retried.get(`${run.original_attempt_run_id} ${run.attempt + 1}`);
    look(
      next === undefined,
      run.run_id,
      () => `Run ${run.run_id} was stopped (${run.stop_reason}) and retried by run ${next?.run_id}.`,
    );
  }
};

/**
 * A task begins when all that it depends on is over in the same round; with ALL_SUCCESS when that succeeded.
 */
export const tasksWaitForUpstream: Invariant = (evidence, look) => {
  const ofRun = groupBy(evidence.attempts, (attempt) => attempt.job_run_id);
  const runs = indexByRunId(evidence.runs);
  for (const attempt of evidence.attempts) {
    const run = runs.get(attempt.job_run_id);
    const began = attempt.running_time;
    if (run === undefined || began === null || run.format === 'SINGLE_TASK') continue;
    const { depends_on: dependencies = [], run_if: condition = 'ALL_SUCCESS' } = taskSettingsOf(run, attempt);
    const round = roundIndexOf(attempt, evidence);
    for (const { task_key: key } of dependencies) {
      const before = (ofRun.get(run.run_id) ?? []).filter(
        (one) => one.task_key === key && roundIndexOf(one, evidence) <= round,
      );
      const late = before.find((one) => (one.end_time ?? Infinity) > began);
      look(
        late === undefined,
        run.run_id,
        () =>
          `Attempt ${attempt.run_id} began at ${began}, before ${key} (${late?.run_id}) was over at ${late?.end_time}.`,
      );
      const latest = before.toSorted((one, other) => other.attempt - one.attempt)[0];
      look(
        condition !== 'ALL_SUCCESS' || latest?.result === 'SUCCESS',
        run.run_id,
        () => `Attempt ${attempt.run_id} began although ${key} ended as ${latest?.state}/${latest?.result}.`,
      );
    }
  }
};
