/** Retry of a single-task run: a new run of its own, stored together with the end of the attempt before. */
import type { LaunchPorts } from '../launch.ts';
import type { ChangeSet } from '../ports/runs.ts';
import { toRunWithTasks, type NewRun } from '../run/new-run.ts';
import { createRunRetry, type Retry } from '../run/retry.ts';
import type { RunWithTasks } from '../run/run.ts';
import type { StateChange } from '../run/step.ts';

/** The end of a single-task run that is followed by a retry. */
export interface RetryRunRequest {
  readonly runId: number;
  readonly jobId: number;
  readonly retry: Retry;
  /**
   * Returns the write of the end. `retried` is false when the run was stopped or its job deleted meanwhile:
   * then no retry follows.
   */
  readonly endChanges: (retried: boolean) => ChangeSet;
}

/**
 * Ends a single-task run and starts its retry in one transaction, so that no other run takes its capacity in
 * between (spec 2.2).
 * @returns `refused` when another engine has adopted the run; then nothing was written
 */
export async function retryRun(
  ports: LaunchPorts,
  { runId, jobId, retry, endChanges }: RetryRunRequest,
): Promise<'written' | 'refused'> {
  const stored = await ports.runs.launchTransaction<'refused' | NewRun | undefined>(
    async (transaction) => {
      await transaction.lockJob(jobId);
      const found = await transaction.lockRun(runId);
      const retried = found !== undefined && found.run.stopReason === undefined;
      const end = endChanges(retried);
      if (found !== undefined && !firstChangesOf(end).every((change) => isExpected(found, change)))
        return 'refused';
      if ((await transaction.write(end)) === 'refused') {
        // A deleted run writes nothing. A locked one is as it was found.
        if (found === undefined) return 'refused';
        throw new Error(`The end of run ${runId} was refused although the run is locked.`);
      }
      if (!retried) return undefined;
      const [id = 0] = await transaction.reserveRunIds(1);
      const run = createRunRetry(found, retry, {
        runId: id,
        numberInJob: await transaction.reserveNumberInJob(jobId),
        owner: ports.nodeId,
        now: ports.clock.now(),
      });
      await transaction.insertRun(run);
      return run;
    },
    { onOutage: 'retry' },
  );
  if (stored === 'refused') return stored;
  if (stored !== undefined) ports.acceptRun(toRunWithTasks(stored));
  return 'written';
}

/** Returns the first change of each row. */
function firstChangesOf({ changes }: ChangeSet): StateChange[] {
  const isSameRow = (one: StateChange, other: StateChange): boolean =>
    one.kind === other.kind && one.runId === other.runId;
  return changes.filter((change, index) => changes.findIndex((one) => isSameRow(one, change)) === index);
}

/** Returns whether the row of a change is in the state and fence that the change expects. */
function isExpected({ run, tasks }: RunWithTasks, { kind, runId, from, fence }: StateChange): boolean {
  const row = kind === 'run' ? run : tasks.find((task) => task.runId === runId);
  return row?.progress.state === from && row.fence === fence;
}
