/**
 * Runs come to their end, to the right one, and INTERNAL_ERROR has a reason that the suite itself has caused.
 */
import { maxConcurrentRunsOf } from '../../../engine/run/admission.ts';
import { rollUp, taskStateOf } from '../../../engine/run/roll-up.ts';
import { tasksOf } from '../../../engine/job/job-format.ts';
import { progressOf, type RunRow, type TaskRunRow } from '../../../storage/postgres/runs/run-rows.ts';
import {
  indexByRunId,
  groupBy,
  roundIndexOf,
  taskSettingsOf,
  stopReasonOf,
  type Invariant,
} from '../evidence.ts';

export const acknowledgedRunsAreStored: Invariant = ({ acknowledged, runs }, look) => {
  const stored = indexByRunId(runs);
  for (const { runId, token } of acknowledged) {
    look(stored.has(runId), runId, () => `Run ${runId} was acknowledged (${token}) and is not stored.`);
  }
};

/** Only a job whose limit is 0 may have runs that wait. */
export const allRunsHaveEnded: Invariant = ({ runs, attempts, jobs }, look) => {
  const limits = new Map(jobs.map((job) => [job.job_id, maxConcurrentRunsOf(job.settings)]));
  const waits = (run: RunRow | undefined): boolean => run?.state === 'QUEUED' && limits.get(run.job_id) === 0;
  const stored = indexByRunId(runs);
  for (const run of runs)
    look(
      !run.active || waits(run),
      run.run_id,
      () => `Run ${run.run_id} is still ${run.state}, owned by ${run.owner}.`,
    );
  for (const attempt of attempts) {
    look(
      !attempt.active || waits(stored.get(attempt.job_run_id)),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} is still ${attempt.state}.`,
    );
  }
};

/** A kill of an engine or of PostgreSQL is never a reason; the loss of a task's supervisor is. */
export const internalErrorsHaveAReason: Invariant = ({ runs, attempts, killedAttempts }, look) => {
  for (const run of runs) {
    const excused = run.format === 'SINGLE_TASK' && killedAttempts.has(run.run_id);
    look(
      run.state !== 'INTERNAL_ERROR' || excused,
      run.run_id,
      () => `Run ${run.run_id} ended as INTERNAL_ERROR: ${run.message}`,
    );
  }
  for (const attempt of attempts) {
    look(
      attempt.state !== 'INTERNAL_ERROR' || killedAttempts.has(attempt.run_id),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} ended as INTERNAL_ERROR: ${attempt.message}`,
    );
  }
};

/** What a program said at its end is how its attempt ended, unless it was stopped or killed. */
export const resultsMatchPrograms: Invariant = ({ runs, attempts, programRecords, killedAttempts }, look) => {
  const stored = indexByRunId(runs);
  for (const attempt of attempts) {
    const run = stored.get(attempt.job_run_id);
    if (run === undefined || taskSettingsOf(run, attempt).spark_python_task === undefined) continue;
    const { result } = attempt;
    const code = programRecords.get(attempt.run_id)?.end?.code;
    const said = code === undefined ? undefined : code === 0 ? 'SUCCESS' : 'FAILED';
    if (result === 'SUCCESS')
      look(
        said === 'SUCCESS',
        run.run_id,
        () => `Attempt ${attempt.run_id} is a SUCCESS, and its program ended with ${code}.`,
      );
    if (result === 'FAILED' && !killedAttempts.has(attempt.run_id)) {
      look(
        said === 'FAILED',
        run.run_id,
        () => `Attempt ${attempt.run_id} is FAILED (${attempt.message}), and its program ended with ${code}.`,
      );
    }
  }
};

/** Time-outs need a timeout that is over, cancels somebody who asked. */
export const stopsHaveAReason: Invariant = (evidence, look) => {
  const stored = indexByRunId(evidence.runs);
  const rounds = groupBy(evidence.repairs, (repair) => repair.run_id);
  for (const attempt of evidence.attempts) {
    const run = stored.get(attempt.job_run_id);
    // The end of a run_job_task is that of the run which it started.
    if (run === undefined || taskSettingsOf(run, attempt).run_job_task !== undefined) continue;
    const { timeout_seconds: own = 0 } = taskSettingsOf(run, attempt);
    const { timeout_seconds: ofRun = 0 } = run.settings;
    if (attempt.result === 'TIMEDOUT') {
      const starts = [
        run.start_time,
        run.admitted_time,
        ...(rounds.get(run.run_id) ?? []).map((repair) => repair.start_time),
      ];
      const over = (seconds: number, start: number | null): boolean =>
        seconds > 0 && (attempt.end_time ?? 0) - (start ?? Infinity) >= seconds * 1_000;
      look(
        over(own, attempt.start_time) || starts.some((start) => over(ofRun, start)),
        run.run_id,
        () => `Attempt ${attempt.run_id} timed out before its time.`,
      );
    }
    if (
      attempt.result === 'CANCELED' &&
      roundIndexOf(attempt, evidence) === (rounds.get(run.run_id) ?? []).length
    ) {
      look(
        run.stop_reason === 'cancel',
        run.run_id,
        () => `Attempt ${attempt.run_id} was cancelled, and nobody had asked for it.`,
      );
    }
  }
};

/** A run that was told to stop by a client says so, if it was not over before. */
export const cancelsAreHonored: Invariant = ({ runs, cancelledRuns, repairs }, look) => {
  const repaired = new Set(repairs.map((repair) => repair.run_id));
  for (const run of runs.filter((one) => cancelledRuns.has(one.run_id) && !repaired.has(one.run_id))) {
    look(!run.active, run.run_id, () => `Run ${run.run_id} was cancelled and is still ${run.state}.`);
    look(
      run.result !== 'CANCELED' || run.stop_reason === 'cancel',
      run.run_id,
      () => `Run ${run.run_id} is CANCELED without a reason to stop.`,
    );
  }
};

/** The end of a run follows from the ends of its tasks. */
export const runResultsMatchTasks: Invariant = ({ runs, attempts }, look) => {
  const ofRun = groupBy(attempts, (attempt) => attempt.job_run_id);
  for (const run of runs) {
    const own = ofRun.get(run.run_id) ?? [];
    look(own.length > 0, run.run_id, () => `Run ${run.run_id} has no task runs.`);
    if (run.format === 'SINGLE_TASK') {
      look(
        own.length === 1 && own[0]?.state === run.state && own[0]?.result === run.result,
        run.run_id,
        () => `Run ${run.run_id} is ${run.state}/${run.result}, its task ${own[0]?.state}/${own[0]?.result}.`,
      );
      continue;
    }
    if (run.state !== 'TERMINATED' || run.terminating_time === null) continue;
    const { timeout_seconds: timeout = 0 } = run.settings;
    look(
      run.result !== 'TIMEDOUT' || timeout > 0,
      run.run_id,
      () => `Run ${run.run_id} is TIMEDOUT without a timeout.`,
    );
    const latest = new Map<string, TaskRunRow>();
    for (const attempt of own.toSorted((one, other) => one.attempt - other.attempt))
      latest.set(attempt.task_key, attempt);
    const standings = tasksOf(run.settings).flatMap((task) => {
      const attempt = latest.get(task.task_key);
      return attempt === undefined ? [] : [taskStateOf(task, progressOf(attempt), true)];
    });
    // A stop that was noted when all its tasks were over changes nothing any more.
    const ends = [rollUp(standings, stopReasonOf(run) ?? undefined), rollUp(standings, undefined)].map(
      ({ end }) => end?.result,
    );
    look(
      ends.some((end) => end === run.result),
      run.run_id,
      () => `Run ${run.run_id} is ${run.result}; its tasks make it ${ends.join(' or ')}.`,
    );
  }
};
