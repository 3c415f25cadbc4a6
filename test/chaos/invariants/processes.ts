/** Invariants of processes and clusters: one process per attempt, complete logs, and no leaks. */
import { indexByRunId, taskSettingsOf, type Invariant } from '../evidence.ts';

export const processesRunOncePerAttempt: Invariant = ({ runs, attempts, programRecords }, check) => {
  const stored = indexByRunId(runs);
  const known = indexByRunId(attempts);
  for (const attempt of attempts) {
    const run = stored.get(attempt.job_run_id);
    if (run === undefined) continue;
    const times = programRecords.get(attempt.run_id)?.starts.length ?? 0;
    const maximum = attempt.running_time === null ? 0 : 1;
    const minimum =
      attempt.result === 'SUCCESS' && taskSettingsOf(run, attempt).spark_python_task !== undefined ? 1 : 0;
    check(
      times >= minimum && times <= maximum,
      run.run_id,
      () =>
        `Attempt ${attempt.run_id} (${attempt.state}/${attempt.result}, ${attempt.running_time === null ? 'never started' : 'started'}) ran ${times} processes.`,
    );
  }
  for (const attempt of programRecords.keys())
    check(known.has(attempt), undefined, () => `A process ran for attempt ${attempt}, which is not stored.`);
};

/** A program runs between the stored start and the stored end of its attempt. */
export const processesEndWithAttempt: Invariant = ({ attempts, programRecords }, check) => {
  for (const attempt of attempts) {
    const record = programRecords.get(attempt.run_id);
    const first = record?.starts[0]?.at;
    if (record === undefined || first === undefined) continue;
    check(
      first >= (attempt.running_time ?? Infinity),
      attempt.job_run_id,
      () => `Attempt ${attempt.run_id} ran at ${first}, before it was RUNNING at ${attempt.running_time}.`,
    );
    check(
      record.lastSeenAlive <= (attempt.end_time ?? Infinity),
      attempt.job_run_id,
      () =>
        `Attempt ${attempt.run_id} was alive at ${record.lastSeenAlive}, after its end at ${attempt.end_time}.`,
    );
  }
};

export const logsAreComplete: Invariant = ({ attempts, programRecords, logs }, check) => {
  for (const attempt of attempts) {
    const end = programRecords.get(attempt.run_id)?.end;
    if (end === undefined) continue;
    const log = logs.get(attempt.run_id);
    check(
      log?.stdout === end.stdout && log.stderr === end.stderr,
      attempt.job_run_id,
      () => `The logs of attempt ${attempt.run_id} differ from the output of its program.`,
    );
  }
};

export const noProcessIsLeaked: Invariant = ({ liveProcesses }, check) => {
  // One check for all processes: without a living process there is no single one to check.
  check(
    liveProcesses.length === 0,
    liveProcesses[0]?.attempt,
    () =>
      `Still alive: ${liveProcesses.map(({ pid, attempt, command }) => `${pid} of attempt ${attempt} (${command})`).join('; ')}`,
  );
};

export const noClusterIsLeaked: Invariant = ({ clusters }, check) => {
  for (const cluster of clusters.filter(({ kind }) => kind === 'JOB')) {
    check(
      cluster.state === 'TERMINATED',
      cluster.job_run_id ?? undefined,
      () => `Cluster ${cluster.cluster_id} of run ${cluster.job_run_id} is ${cluster.state}.`,
    );
  }
};

export const noUnexpectedResponses: Invariant = ({ unexpectedResponses }, check) => {
  check(
    unexpectedResponses.length === 0,
    undefined,
    () => `Unexpected responses: ${unexpectedResponses.join('\n')}`,
  );
};
