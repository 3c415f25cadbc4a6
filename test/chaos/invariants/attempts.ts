/** Invariants of attempts: order, number, retry intervals, stops and upstream tasks. */
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

/** Returns the attempts of each task in order; attempts of a single-task run are separate runs. */
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

/** Visits every two consecutive attempts. */
function forEachConsecutivePair(
  chains: readonly AttemptInRound[][],
  visit: (before: AttemptInRound, after: AttemptInRound) => void,
): void {
  for (const chain of chains)
    for (const [index, after] of chain.entries()) {
      const before = chain[index - 1];
      if (before !== undefined) visit(before, after);
    }
}

export const attemptsNeverOverlap: Invariant = (evidence, check) => {
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
    check(
      start >= end || start === Infinity,
      before.run.run_id,
      () =>
        `Attempt ${after.row.run_id} started at ${start}, before attempt ${before.row.run_id} ended at ${end}.`,
    );
  });
};

/** Returns the retry policy of an attempt: from its task, or from the settings of a single-task run. */
function retryPolicyOf({ row, run }: AttemptInRound) {
  return run.format === 'SINGLE_TASK' ? run.settings : taskSettingsOf(run, row);
}

function isRetryable({ row: { state, result } }: AttemptInRound, onTimeout: boolean): boolean {
  return (
    state === 'INTERNAL_ERROR' ||
    (state === 'TERMINATED' && (result === 'FAILED' || (result === 'TIMEDOUT' && onTimeout)))
  );
}

export const attemptCountsFollowPolicy: Invariant = (evidence, check) => {
  for (const chain of attemptChainsOf(evidence))
    for (const [round, attempts] of groupBy(chain, (attempt) => attempt.round)) {
      const last = attempts.at(-1);
      if (last === undefined) continue;
      const { max_retries: maxRetries = 0, retry_on_timeout: onTimeout = false } = retryPolicyOf(last);
      check(
        attempts.length <= maxRetries + 1,
        last.run.run_id,
        () =>
          `${attempts.length} attempts of ${last.row.task_key} in round ${round}; max_retries is ${maxRetries}.`,
      );
      for (const earlier of attempts.slice(0, -1)) {
        check(
          isRetryable(earlier, onTimeout),
          earlier.run.run_id,
          () =>
            `Attempt ${earlier.row.run_id} ended as ${earlier.row.state}/${earlier.row.result} and was retried.`,
        );
      }
      checkMissingRetry(evidence, last, attempts.length > maxRetries || !isRetryable(last, onTimeout), check);
    }
};

/** Checks that the last attempt of a round is final, or that its run was stopped. */
function checkMissingRetry(
  evidence: Evidence,
  { run, row, round }: AttemptInRound,
  final: boolean,
  check: ReportCheck,
): void {
  const isLatestRound = round === evidence.repairs.filter((repair) => repair.run_id === run.run_id).length;
  // The stop reason of an earlier round is not stored.
  if (!isLatestRound) return;
  check(
    final || (run.format === 'MULTI_TASK' ? stopReasonOf(run) : run.stop_reason) !== null,
    run.run_id,
    () =>
      `Attempt ${row.run_id} of ${row.task_key} ended as ${row.state}/${row.result}, and no retry followed.`,
  );
}

export const retriesWaitForInterval: Invariant = (evidence, check) => {
  forEachConsecutivePair(attemptChainsOf(evidence), (before, after) => {
    if (before.round !== after.round || after.row.running_time === null) return;
    const due = (before.row.start_time ?? 0) + (retryPolicyOf(before).min_retry_interval_millis ?? 0);
    check(
      after.row.running_time >= due,
      after.run.run_id,
      () => `Attempt ${after.row.run_id} started at ${after.row.running_time}, before its due time ${due}.`,
    );
  });
};

export const stoppedRunsAreNotRetried: Invariant = (evidence, check) => {
  const retried = new Map(
    evidence.runs
      .filter((run) => run.attempt > 0)
      .map((run) => [`${run.original_attempt_run_id} ${run.attempt}`, run]),
  );
  for (const run of evidence.runs.filter((one) => one.stop_reason !== null && one.format === 'SINGLE_TASK')) {
    const next = retried.get(`${run.original_attempt_run_id} ${run.attempt + 1}`);
    check(
      next === undefined,
      run.run_id,
      () => `Run ${run.run_id} was stopped (${run.stop_reason}) and retried by run ${next?.run_id}.`,
    );
  }
};

/** A task starts after its upstream tasks ended, and with ALL_SUCCESS only when they succeeded. */
export const tasksWaitForUpstream: Invariant = (evidence, check) => {
  const ofRun = groupBy(evidence.attempts, (attempt) => attempt.job_run_id);
  const runs = indexByRunId(evidence.runs);
  for (const attempt of evidence.attempts) {
    const run = runs.get(attempt.job_run_id);
    const started = attempt.running_time;
    if (run === undefined || started === null || run.format === 'SINGLE_TASK') continue;
    const { depends_on: dependencies = [], run_if: condition = 'ALL_SUCCESS' } = taskSettingsOf(run, attempt);
    const round = roundIndexOf(attempt, evidence);
    for (const { task_key: key } of dependencies) {
      const before = (ofRun.get(run.run_id) ?? []).filter(
        (one) => one.task_key === key && roundIndexOf(one, evidence) <= round,
      );
      const late = before.find((one) => (one.end_time ?? Infinity) > started);
      check(
        late === undefined,
        run.run_id,
        () =>
          `Attempt ${attempt.run_id} started at ${started}, before ${key} (${late?.run_id}) ended at ${late?.end_time}.`,
      );
      const latest = before.toSorted((one, other) => other.attempt - one.attempt)[0];
      check(
        condition !== 'ALL_SUCCESS' || latest?.result === 'SUCCESS',
        run.run_id,
        () =>
          `Attempt ${attempt.run_id} started although ${key} ended as ${latest?.state}/${latest?.result}.`,
      );
    }
  }
};
