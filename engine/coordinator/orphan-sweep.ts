/**
 * At the start of an engine: ends processes whose run is already over, so that nothing runs that nobody waits
 * for.
 */
import type { Log } from '../ports/log.ts';
import type { ProcessTable } from '../ports/attempts.ts';
import type { RunStore } from '../ports/runs.ts';

export interface OrphanSweepPorts {
  readonly processes: ProcessTable;
  readonly runs: Pick<RunStore, 'isAttemptActive'>;
  readonly log: Log;
}

/** Looks at every living process that carries the mark of an attempt of this data directory. */
export async function sweepOrphanProcesses({ processes, runs, log }: OrphanSweepPorts): Promise<void> {
  for (const runId of await processes.listAttempts()) {
    if (await runs.isAttemptActive(runId)) continue;
    log.warn({ run_id: runId }, 'Ending processes that were left of an attempt which is over.');
    await processes.killAttempt(runId);
  }
}
