/** Invariants of run numbers, concurrency limits, idempotency tokens and child runs. */
import { maxConcurrentRunsOf } from '../../../engine/run/admission.ts';
import { groupBy, wasNeverAdmitted, roundsOf, type Invariant } from '../evidence.ts';

export const runNumbersHaveNoGaps: Invariant = ({ jobs, runs }, check) => {
  const ofJob = groupBy(runs, (run) => run.job_id);
  for (const job of jobs) {
    const numbers = (ofJob.get(job.job_id) ?? [])
      .map((run) => run.number_in_job)
      .sort((one, other) => one - other);
    check(
      numbers.every((number, index) => number === index + 1) && job.runs_started === numbers.length,
      undefined,
      () => `Job ${job.job_id} started ${job.runs_started} runs, with the numbers ${numbers.join(', ')}.`,
    );
  }
};

/** Replays the stored times: at no time are more runs of a job active than its limit allows. */
export const concurrencyLimitsAreKept: Invariant = (evidence, check) => {
  const ofJob = groupBy(
    evidence.runs.filter((run) => !wasNeverAdmitted(run)),
    (run) => run.job_id,
  );
  for (const job of evidence.jobs.filter(({ hidden }) => !hidden)) {
    const limit = maxConcurrentRunsOf(job.settings);
    const changes = (ofJob.get(job.job_id) ?? []).flatMap((run) =>
      roundsOf(run, evidence).flatMap(({ start, end = Infinity }) => [
        { at: start, by: 1, run },
        { at: end, by: -1, run },
      ]),
    );
    // Within one millisecond the end of a run comes before the start of another.
    changes.sort((one, other) => one.at - other.at || one.by - other.by);
    let active = 0;
    for (const { at, by, run } of changes) {
      active += by;
      check(
        active <= limit,
        run.run_id,
        () =>
          `${active} runs of job ${job.job_id} were active at ${at}, when run ${run.run_id} started; the limit is ${limit}.`,
      );
    }
  }
};

/** Every response to a token names the same run, and every one-time run belongs to a token. */
export const tokensHaveOneRun: Invariant = ({ acknowledged, tokens, runs, jobs }, check) => {
  const runOfToken = new Map(tokens.map((token) => [`${token.job_id} ${token.token}`, token.run_id]));
  const responses = groupBy(acknowledged, ({ scope, token }) => `${scope} ${token}`);
  for (const [key, named] of responses) {
    const ids = [...new Set(named.map(({ runId }) => runId))];
    check(
      ids.length === 1 && runOfToken.get(key) === ids[0],
      ids[0],
      () =>
        `Responses to token "${key}" name the runs ${ids.join(', ')}; the stored run is ${runOfToken.get(key)}.`,
    );
  }
  const runsWithToken = new Set(runOfToken.values());
  const hidden = new Set(jobs.filter((job) => job.hidden).map((job) => job.job_id));
  for (const run of runs.filter(
    ({ trigger, launched_by: parent }) => trigger === 'ONE_TIME' && parent === null,
  )) {
    check(
      runsWithToken.has(run.run_id),
      run.run_id,
      () =>
        `Run ${run.run_id} of ${hidden.has(run.job_id) ? 'a submission' : `job ${run.job_id}`} has no token: it was started twice.`,
    );
  }
};

/** A run_job_task starts one child run, and succeeds only if the child run succeeded. */
export const runJobTasksHaveOneRun: Invariant = ({ runs, attempts }, check) => {
  const parents = new Map(attempts.map((attempt) => [attempt.run_id, attempt]));
  for (const [launchedBy, children] of groupBy(
    runs.filter((run) => run.launched_by !== null && run.attempt === 0),
    (run) => run.launched_by,
  )) {
    const parent = parents.get(launchedBy ?? 0);
    check(
      children.length === 1,
      parent?.job_run_id,
      () => `Task run ${launchedBy} started ${children.length} runs.`,
    );
    check(
      parent !== undefined,
      children[0]?.run_id,
      () => `Run ${children[0]?.run_id} was started by task run ${launchedBy}, which is not stored.`,
    );
    const original = children[0]?.original_attempt_run_id;
    const last = runs
      .filter((run) => run.original_attempt_run_id === original)
      .toSorted((one, other) => other.attempt - one.attempt)[0];
    if (parent?.result === 'SUCCESS') {
      check(
        last?.result === 'SUCCESS',
        parent.job_run_id,
        () =>
          `Task run ${launchedBy} is a SUCCESS, but its child run ${last?.run_id} is ${last?.state}/${last?.result}.`,
      );
    }
  }
};
