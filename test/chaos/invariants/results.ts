/**
 * Invariants of results: every run ends, with the result of its tasks, and only the suite causes
 * INTERNAL_ERROR.
 */
import { rollUp, taskStateOf } from '../../../engine/run/roll-up.ts';
import { tasksOf } from '../../../engine/job/job-format.ts';
import { progressOf, type TaskRunRow } from '../../../storage/postgres/runs/run-rows.ts';
import {
  indexByRunId,
  groupBy,
  roundIndexOf,
  taskSettingsOf,
  stopReasonOf,
  type Invariant,
} from '../evidence.ts';
import { stopFor } from '../../harness/run-stops.ts';

export const acknowledgedRunsAreStored: Invariant = ({ acknowledged, runs }, check) => {
  const stored = indexByRunId(runs);
  for (const { runId, token } of acknowledged) {
    check(stored.has(runId), runId, () => `Run ${runId} was acknowledged (${token}) and is not stored.`);
  }
};

/** No run waits at the end of a scenario, also when the limit of its job is 0. */
export const allRunsHaveEnded: Invariant = ({ runs, attempts }, check) => {
  for (const run of runs)
    check(!run.active, run.run_id, () => `Run ${run.run_id} is still ${run.state}, owned by ${run.owner}.`);
  for (const attempt of attempts) {
    check(!attempt.active, attempt.job_run_id, () => `Attempt ${attempt.run_id} is still ${attempt.state}.`);
  }
};

/** The killed process of a task may cause INTERNAL_ERROR; a killed engine or PostgreSQL must not. */
export const internalErrorsHaveAReason: Invariant = ({ runs, attempts, killedAttempts }, check) => {
  for (const run of runs) {
    const isExpected = run.format === 'SINGLE_TASK' && killedAttempts.has(run.run_id);
    check(
      run.state !== 'INTERNAL_ERROR' || isExpected,
      run.run_id,
      () => `Run ${run.run_id} ended as INTERNAL_ERROR: ${run.message}`,
    );
  }
  for (const attempt of attempts) {
    check(
      attempt.state !== 'INTERNAL_ERROR' || killedAttempts.has(attempt.run_id),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} ended as INTERNAL_ERROR: ${attempt.message}`,
    );
  }
};

/** The exit code of a program decides the result of its attempt, unless the attempt was stopped or killed. */
export const resultsMatchPrograms: Invariant = (
  { runs, attempts, programRecords, killedAttempts },
  check,
) => {
  const stored = indexByRunId(runs);
  for (const attempt of attempts) {
    const run = stored.get(attempt.job_run_id);
    if (run === undefined || taskSettingsOf(run, attempt).spark_python_task === undefined) continue;
    const { result } = attempt;
    const code = programRecords.get(attempt.run_id)?.end?.code;
    const expected = code === undefined ? undefined : code === 0 ? 'SUCCESS' : 'FAILED';
    if (result === 'SUCCESS')
      check(
        expected === 'SUCCESS',
        run.run_id,
        () => `Attempt ${attempt.run_id} is a SUCCESS, but its program exited with ${code}.`,
      );
    if (result === 'FAILED' && !killedAttempts.has(attempt.run_id)) {
      check(
        expected === 'FAILED',
        run.run_id,
        () =>
          `Attempt ${attempt.run_id} is FAILED (${attempt.message}), but its program exited with ${code}.`,
      );
    }
  }
};

/** A timed-out attempt exceeded a timeout, and a canceled attempt belongs to a run with a cancel request. */
export const stopsHaveAReason: Invariant = (evidence, check) => {
  const stored = indexByRunId(evidence.runs);
  const rounds = groupBy(evidence.repairs, (repair) => repair.run_id);
  for (const attempt of evidence.attempts) {
    const run = stored.get(attempt.job_run_id);
    // A run_job_task ends as its child run does.
    if (run === undefined || taskSettingsOf(run, attempt).run_job_task !== undefined) continue;
    const { timeout_seconds: taskTimeout = 0 } = taskSettingsOf(run, attempt);
    const { timeout_seconds: runTimeout = 0 } = run.settings;
    if (attempt.result === 'TIMEDOUT') {
      const starts = [
        run.start_time,
        run.admitted_time,
        ...(rounds.get(run.run_id) ?? []).map((repair) => repair.start_time),
      ];
      const isExceeded = (seconds: number, start: number | null): boolean =>
        seconds > 0 && (attempt.end_time ?? 0) - (start ?? Infinity) >= seconds * 1_000;
      check(
        isExceeded(taskTimeout, attempt.start_time) || starts.some((start) => isExceeded(runTimeout, start)),
        run.run_id,
        () => `Attempt ${attempt.run_id} timed out before its timeout.`,
      );
    }
    if (
      attempt.result === 'CANCELED' &&
      roundIndexOf(attempt, evidence) === (rounds.get(run.run_id) ?? []).length
    ) {
      check(
        run.stop_reason === 'cancel',
        run.run_id,
        () => `Attempt ${attempt.run_id} was canceled without a cancel request.`,
      );
    }
  }
};

/** A run with an acknowledged cancel ends, and a canceled run has the cancel as its stop reason. */
export const cancelsAreHonored: Invariant = ({ runs, cancelledRuns, repairs }, check) => {
  const repaired = new Set(repairs.map((repair) => repair.run_id));
  for (const run of runs.filter((one) => cancelledRuns.has(one.run_id) && !repaired.has(one.run_id))) {
    check(!run.active, run.run_id, () => `Run ${run.run_id} was canceled and is still ${run.state}.`);
    check(
      run.result !== 'CANCELED' || run.stop_reason === 'cancel',
      run.run_id,
      () => `Run ${run.run_id} is CANCELED without a stop reason.`,
    );
  }
};

/** The result of a run follows from the results of its tasks. */
export const runResultsMatchTasks: Invariant = ({ runs, attempts }, check) => {
  const ofRun = groupBy(attempts, (attempt) => attempt.job_run_id);
  for (const run of runs) {
    const own = ofRun.get(run.run_id) ?? [];
    check(own.length > 0, run.run_id, () => `Run ${run.run_id} has no task runs.`);
    if (run.format === 'SINGLE_TASK') {
      check(
        own.length === 1 && own[0]?.state === run.state && own[0]?.result === run.result,
        run.run_id,
        () => `Run ${run.run_id} is ${run.state}/${run.result}, its task ${own[0]?.state}/${own[0]?.result}.`,
      );
      continue;
    }
    if (run.state !== 'TERMINATED' || run.terminating_time === null) continue;
    const { timeout_seconds: timeout = 0 } = run.settings;
    check(
      run.result !== 'TIMEDOUT' || timeout > 0,
      run.run_id,
      () => `Run ${run.run_id} is TIMEDOUT without a timeout.`,
    );
    const latest = new Map<string, TaskRunRow>();
    for (const attempt of own.toSorted((one, other) => one.attempt - other.attempt))
      latest.set(attempt.task_key, attempt);
    const taskStates = tasksOf(run.settings).flatMap((task) => {
      const attempt = latest.get(task.task_key);
      return attempt === undefined ? [] : [taskStateOf(task, progressOf(attempt), true)];
    });
    // A stop request that is stored after the end of all tasks does not change the result.
    const results = [
      rollUp(taskStates, stopFor(stopReasonOf(run) ?? undefined)),
      rollUp(taskStates, undefined),
    ].map(({ end }) => end?.result);
    check(
      results.some((result) => result === run.result),
      run.run_id,
      () => `Run ${run.run_id} is ${run.result}; the roll-up of its tasks is ${results.join(' or ')}.`,
    );
  }
};
