/** At the start of an engine: ends processes whose run is already over, so that nothing runs that nobody waits for. */
import type { Log, ProcessTable, RunStore } from '../ports.ts';
import { isTerminal } from '../run/states.ts';

export interface SweepPorts {
  readonly processes: ProcessTable;
  readonly runs: Pick<RunStore, 'find'>;
  readonly log: Log;
}

/** Looks at every living process that carries the mark of an attempt of this data directory. */
export async function sweepProcesses({ processes, runs, log }: SweepPorts): Promise<void> {
  for (const runId of await processes.living()) {
    const found = await runs.find(runId);
    const attempt = found?.tasks.find((task) => task.runId === runId);
    if (attempt !== undefined && !isTerminal(attempt.progress.state)) continue;
    log.warn({ run_id: runId }, 'Ending processes that were left of an attempt which is over.');
    await processes.end(runId);
  }
}
