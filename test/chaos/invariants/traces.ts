/** What programs leave: one process for each attempt, logs that are whole, and nothing that lives on. */
import { byId, settingsOf, type Invariant } from '../evidence.ts';

export const processesRunOnce: Invariant = ({ runs, attempts, marks }, look) => {
  const stored = byId(runs);
  const known = byId(attempts);
  for (const attempt of attempts) {
    const run = stored.get(attempt.job_run_id);
    if (run === undefined) continue;
    const times = marks.get(attempt.run_id)?.starts.length ?? 0;
    const most = attempt.running_time === null ? 0 : 1;
    const least =
      attempt.result === 'SUCCESS' && settingsOf(run, attempt).spark_python_task !== undefined ? 1 : 0;
    look(
      times >= least && times <= most,
      run.run_id,
      () =>
        `Attempt ${attempt.run_id} (${attempt.state}/${attempt.result}, ${attempt.running_time === null ? 'never started' : 'started'}) ran ${times} processes.`,
    );
  }
  for (const attempt of marks.keys())
    look(known.has(attempt), undefined, () => `A process ran for attempt ${attempt}, which is not stored.`);
};

/** A program starts after the write that says so, and is over before the write that says that. */
export const processesLiveWithinTheirAttempt: Invariant = ({ attempts, marks }, look) => {
  for (const attempt of attempts) {
    const mark = marks.get(attempt.run_id);
    const first = mark?.starts[0]?.at;
    if (mark === undefined || first === undefined) continue;
    look(
      first >= (attempt.running_time ?? Infinity),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} ran at ${first}, before it was RUNNING at ${attempt.running_time}.`,
    );
    look(
      mark.lastSign <= (attempt.end_time ?? Infinity),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} was alive at ${mark.lastSign}, after its end at ${attempt.end_time}.`,
    );
  }
};

export const logsAreWhole: Invariant = ({ attempts, marks, logs }, look) => {
  for (const attempt of attempts) {
    const end = marks.get(attempt.run_id)?.end;
    if (end === undefined) continue;
    const kept = logs.get(attempt.run_id);
    look(
      kept?.stdout === end.stdout && kept.stderr === end.stderr,
      attempt.job_run_id,
      () => `The logs of attempt ${attempt.run_id} are not what its program wrote.`,
    );
  }
};

export const noProcessIsLeft: Invariant = ({ living }, look) => {
  // Looked at as a whole: where nothing lives there is nothing to count.
  look(
    living.length === 0,
    living[0]?.attempt,
    () =>
      `Still alive: ${living.map(({ pid, attempt, command }) => `${pid} of attempt ${attempt} (${command})`).join('; ')}`,
  );
};

export const noClusterIsLeft: Invariant = ({ clusters }, look) => {
  for (const cluster of clusters.filter(({ kind }) => kind === 'JOB')) {
    look(
      cluster.state === 'TERMINATED',
      cluster.job_run_id ?? undefined,
      () => `Cluster ${cluster.cluster_id} of run ${cluster.job_run_id} is ${cluster.state}.`,
    );
  }
};

export const noAnswerIsWrong: Invariant = ({ badAnswers }, look) => {
  look(badAnswers.length === 0, undefined, () => `Answers that nothing excuses: ${badAnswers.join('\n')}`);
};
