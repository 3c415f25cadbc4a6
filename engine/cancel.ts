/** Entry points of early ends: every cancellation of runs passes here. */
import { invalid, runNotFound } from './errors.ts';
import type { RunStore, StopFilter } from './ports/runs.ts';
import type { StopRequest } from './run/explain/failure.ts';
import type { StopReason } from './run/states.ts';

export interface CancelPorts {
  readonly runs: Pick<RunStore, 'find' | 'requestStop' | 'requestStopAll'>;
  /** Stops a run that this node drives. Another node finds the stored request itself. */
  readonly stopRun: (runId: number, reason: StopReason, message?: string) => void;
}

/**
 * Cancels a run (spec 3.1, runs/cancel). Resolves when the request is durable; the run ends shortly after. A
 * run that is over stays as it is.
 * @param by who asks, for the message of the run
 * @throws ServiceError when there is no such run
 */
export async function cancelRun(ports: CancelPorts, runId: number, by?: StopRequest): Promise<void> {
  const found = await ports.runs.find(runId);
  if (found === undefined) throw runNotFound(runId);
  if (found.run.runId !== runId) {
    throw invalid(
      `Run ${runId} is a task run of run ${found.run.runId}; only the whole run can be cancelled.`,
    );
  }
  await ports.runs.requestStop(runId, 'cancel', { by });
  ports.stopRun(runId, 'cancel');
}

/** Cancels a child run; waits for a database that is away. @param message its state_message */
export async function cancelChildRun(
  { runs, stopRun }: Pick<CancelPorts, 'stopRun'> & { readonly runs: Pick<RunStore, 'requestStop'> },
  runId: number,
  message: string,
): Promise<void> {
  const stored = await runs.requestStop(runId, 'cancel', { onOutage: 'retry', message });
  // A user may have cancelled it first.
  stopRun(runId, 'cancel', stored?.stopMessage);
}

/**
 * Cancels all active runs of a job or of the workspace (runs/cancel-all). Runs that start later are not
 * affected. Resolves when the requests are durable.
 */
export async function cancelAllRuns(ports: CancelPorts, filter: StopFilter): Promise<void> {
  for (const runId of await ports.runs.requestStopAll(filter)) ports.stopRun(runId, 'cancel');
}
