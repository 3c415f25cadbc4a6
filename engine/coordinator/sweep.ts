/**
 * At the start of an engine: ends processes whose run is already over, so that nothing runs that nobody waits
 * for.
 */
import type { Log, ProcessTable } from '../ports/engine.ts';
import type { RunStore } from '../ports/runs.ts';

export interface SweepPorts {
  readonly processes: ProcessTable;
  readonly runs: Pick<RunStore, 'attemptIsActive'>;
  readonly log: Log;
}

/** Looks at every living process that carries the mark of an attempt of this data directory. */
export async function sweepProcesses({ processes, runs, log }: SweepPorts): Promise<void> {
  for (const runId of await processes.living()) {
    if (await runs.attemptIsActive(runId)) continue;
    log.warn({ run_id: runId }, 'Ending processes that were left of an attempt which is over.');
    await processes.end(runId);
  }
}
