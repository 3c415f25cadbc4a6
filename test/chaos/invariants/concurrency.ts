/** Numbers, places and tokens: none is doubled, none is lost, and no limit was ever passed. */
import { maxConcurrentRunsOf } from '../../../engine/run/admission.ts';
import { groupBy, wasNeverAdmitted, roundsOf, type Invariant } from '../evidence.ts';

export const runNumbersHaveNoGaps: Invariant = ({ jobs, runs }, look) => {
  const ofJob = groupBy(runs, (run) => run.job_id);
  for (const job of jobs) {
    const numbers = (ofJob.get(job.job_id) ?? [])
      .map((run) => run.number_in_job)
      .sort((one, other) => one - other);
    look(
      numbers.every((number, index) => number === index + 1) && job.runs_started === numbers.length,
      undefined,
      () => `Job ${job.job_id} has started ${job.runs_started} runs, with the numbers ${numbers.join(', ')}.`,
    );
  }
};

/** Rebuilt from the stamps: at no moment were more runs of a job active than its limit allows. */
export const concurrencyLimitsAreKept: Invariant = (evidence, look) => {
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
    // Where one ends and another begins in the same millisecond, the end came first.
    changes.sort((one, other) => one.at - other.at || one.by - other.by);
    let active = 0;
    for (const { at, by, run } of changes) {
      active += by;
      look(
        active <= limit,
        run.run_id,
        () =>
          `${active} runs of job ${job.job_id} were active at ${at}, when run ${run.run_id} began; its limit is ${limit}.`,
      );
    }
  }
};

/** Each token has one run, whoever was told of it, and there is no run that nobody asked for. */
export const tokensHaveOneRun: Invariant = ({ acknowledged, tokens, runs, jobs }, look) => {
  const bound = new Map(tokens.map((token) => [`${token.job_id} ${token.token}`, token.run_id]));
  const told = groupBy(acknowledged, ({ scope, token }) => `${scope} ${token}`);
  for (const [key, answers] of told) {
    const ids = [...new Set(answers.map(({ runId }) => runId))];
    look(
      ids.length === 1 && bound.get(key) === ids[0],
      ids[0],
      () =>
        `The token "${key}" was answered with the runs ${ids.join(', ')} and is bound to ${bound.get(key)}.`,
    );
  }
  const asked = new Set(bound.values());
  const hidden = new Set(jobs.filter((job) => job.hidden).map((job) => job.job_id));
  for (const run of runs.filter(
    ({ trigger, launched_by: parent }) => trigger === 'ONE_TIME' && parent === null,
  )) {
    look(
      asked.has(run.run_id),
      run.run_id,
      () =>
        `Run ${run.run_id} of ${hidden.has(run.job_id) ? 'a submission' : `job ${run.job_id}`} has no token: it was started twice.`,
    );
  }
};

/** A run_job_task that was started has one run, which was over before it, and ended as that did. */
export const runJobTasksHaveOneRun: Invariant = ({ runs, attempts }, look) => {
  const parents = new Map(attempts.map((attempt) => [attempt.run_id, attempt]));
  for (const [launchedBy, children] of groupBy(
    runs.filter((run) => run.launched_by !== null && run.attempt === 0),
    (run) => run.launched_by,
  )) {
    const parent = parents.get(launchedBy ?? 0);
    look(
      children.length === 1,
      parent?.job_run_id,
      () => `Task run ${launchedBy} has started ${children.length} runs.`,
    );
    look(
      parent !== undefined,
      children[0]?.run_id,
      () => `Run ${children[0]?.run_id} was started by task run ${launchedBy}, which is not stored.`,
    );
    const original = children[0]?.original_attempt_run_id;
    const last = runs
      .filter((run) => run.original_attempt_run_id === original)
      .toSorted((one, other) => other.attempt - one.attempt)[0];
    if (parent?.result === 'SUCCESS') {
      look(
        last?.result === 'SUCCESS',
        parent.job_run_id,
        () =>
          `Task run ${launchedBy} is a SUCCESS; run ${last?.run_id} that it started is ${last?.state}/${last?.result}.`,
      );
    }
  }
};
