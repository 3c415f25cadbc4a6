/** Orphan sweep: ends processes whose attempt is over. */
import type { Log } from '../ports/log.ts';
import type { ProcessTable } from '../ports/attempts.ts';
import type { RunStore } from '../ports/runs.ts';

export interface OrphanSweepPorts {
  readonly processes: ProcessTable;
  readonly runs: Pick<RunStore, 'isAttemptActive'>;
  readonly log: Log;
}

/** Checks every living process of an attempt in this data directory. */
export async function sweepOrphanProcesses({ processes, runs, log }: OrphanSweepPorts): Promise<void> {
  for (const runId of await processes.listAttempts()) {
    if (await runs.isAttemptActive(runId)) continue;
    log.warn({ run_id: runId }, 'Ending orphaned processes of an attempt that is over.');
    await processes.killAttempt(runId);
  }
}
