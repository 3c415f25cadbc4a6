/** Launch gate: a draining engine rejects new runs and reports itself as not ready. */
import type { Readiness } from '../../api/http/health-routes.ts';
import { ServiceError } from '../../engine/errors.ts';
import type { PendingLauncher, RunStore } from '../../engine/ports/runs.ts';
import { ping, type OpenDatabase } from '../../storage/postgres/database.ts';

export interface LaunchGate {
  isOpen: boolean;
}

/** Wraps the run store so that a closed gate rejects launches before any write; clients may retry. */
export function withLaunchGate(runs: RunStore, launchGate: LaunchGate): RunStore {
  return {
    ...runs,
    async launchTransaction(steps, onOutage) {
      if (!launchGate.isOpen)
        throw new ServiceError(
          'TEMPORARILY_UNAVAILABLE',
          'This engine is stopping and takes no new runs. Ask again when it is back, or ask another engine.',
          5,
        );
      return runs.launchTransaction(steps, onOutage);
    },
  };
}

/** Wraps the launcher so that a closed gate leaves every launch to the run store, which rejects it. */
export function withPendingLaunchGate(launcher: PendingLauncher, launchGate: LaunchGate): PendingLauncher {
  return { ...launcher, launch: async (launch) => (launchGate.isOpen ? launcher.launch(launch) : undefined) };
}

export async function checkReadiness({ db }: OpenDatabase, launchGate: LaunchGate): Promise<Readiness> {
  if (!launchGate.isOpen)
    return {
      ready: false,
      reason: 'This engine is stopping: it waits for its running tasks and takes no new runs.',
    };
  return ping(db).then(
    () => ({ ready: true }),
    () => ({
      ready: false,
      reason: 'The database does not answer. Runs go on; new ones can be taken when it is back.',
    }),
  );
}
