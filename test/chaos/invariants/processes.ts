/** What programs leave: one process for each attempt, logs that are whole, and nothing that lives on. */
import { indexByRunId, taskSettingsOf, type Invariant } from '../evidence.ts';

export const processesRunOncePerAttempt: Invariant = ({ runs, attempts, programRecords }, look) => {
  const stored = indexByRunId(runs);
  const known = indexByRunId(attempts);
  for (const attempt of attempts) {
    const run = stored.get(attempt.job_run_id);
    if (run === undefined) continue;
    const times = programRecords.get(attempt.run_id)?.starts.length ?? 0;
    const most = attempt.running_time === null ? 0 : 1;
    const least =
      attempt.result === 'SUCCESS' && taskSettingsOf(run, attempt).spark_python_task !== undefined ? 1 : 0;
    look(
      times >= least && times <= most,
      run.run_id,
      () =>
        `Attempt ${attempt.run_id} (${attempt.state}/${attempt.result}, ${attempt.running_time === null ? 'never started' : 'started'}) ran ${times} processes.`,
    );
  }
  for (const attempt of programRecords.keys())
    look(known.has(attempt), undefined, () => `A process ran for attempt ${attempt}, which is not stored.`);
};

/** A program starts after the write that says so, and is over before the write that says that. */
export const processesEndWithAttempt: Invariant = ({ attempts, programRecords }, look) => {
  for (const attempt of attempts) {
    const mark = programRecords.get(attempt.run_id);
    const first = mark?.starts[0]?.at;
    if (mark === undefined || first === undefined) continue;
    look(
      first >= (attempt.running_time ?? Infinity),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} ran at ${first}, before it was RUNNING at ${attempt.running_time}.`,
    );
    look(
      mark.lastSeenAlive <= (attempt.end_time ?? Infinity),
      attempt.job_run_id,
      () =>
        `Attempt ${attempt.run_id} was alive at ${mark.lastSeenAlive}, after its end at ${attempt.end_time}.`,
    );
  }
};

export const logsAreComplete: Invariant = ({ attempts, programRecords, logs }, look) => {
  for (const attempt of attempts) {
    const end = programRecords.get(attempt.run_id)?.end;
    if (end === undefined) continue;
    const kept = logs.get(attempt.run_id);
    look(
      kept?.stdout === end.stdout && kept.stderr === end.stderr,
      attempt.job_run_id,
      () => `The logs of attempt ${attempt.run_id} are not what its program wrote.`,
    );
  }
};

export const noProcessIsLeaked: Invariant = ({ liveProcesses }, look) => {
  // Looked at as a whole: where nothing lives there is nothing to count.
  look(
    liveProcesses.length === 0,
    liveProcesses[0]?.attempt,
    () =>
      `Still alive: ${liveProcesses.map(({ pid, attempt, command }) => `${pid} of attempt ${attempt} (${command})`).join('; ')}`,
  );
};

export const noClusterIsLeaked: Invariant = ({ clusters }, look) => {
  for (const cluster of clusters.filter(({ kind }) => kind === 'JOB')) {
    look(
      cluster.state === 'TERMINATED',
      cluster.job_run_id ?? undefined,
      () => `Cluster ${cluster.cluster_id} of run ${cluster.job_run_id} is ${cluster.state}.`,
    );
  }
};

export const noUnexpectedResponses: Invariant = ({ unexpectedResponses }, look) => {
  look(
    unexpectedResponses.length === 0,
    undefined,
    () => `Answers that nothing excuses: ${unexpectedResponses.join('\n')}`,
  );
};
