/** Launch gate: a draining engine rejects new runs and reports itself as not ready. */
import type { Readiness } from '../../api/http/health-routes.ts';
import { ServiceError } from '../../engine/errors.ts';
import type { PendingLauncher, RunStore } from '../../engine/ports/runs.ts';
import { ping, type OpenDatabase } from '../../storage/postgres/database.ts';
import {
  createPendingLauncher,
  type PendingLauncherOptions,
} from '../../storage/postgres/runs/pending-launches.ts';

export interface LaunchGate {
  isOpen: boolean;
}

/** Wraps the run store so that a closed gate rejects launches before any write; clients may retry. */
function withLaunchGate(runs: RunStore, launchGate: LaunchGate): RunStore {
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

interface GatedLaunchOptions extends PendingLauncherOptions {
  readonly launchGate: LaunchGate;
}

/** Creates the stores through which the API launches runs. While the gate is closed, both reject every launch. */
export function createGatedLaunches(
  db: OpenDatabase['db'],
  runs: RunStore,
  { launchGate, ...options }: GatedLaunchOptions,
): { readonly runs: RunStore; readonly pendingLauncher: PendingLauncher } {
  const launcher = createPendingLauncher(db, options);
  return {
    runs: withLaunchGate(runs, launchGate),
    pendingLauncher: {
      ...launcher,
      // The run store rejects the launch.
      launch: async (launch) => (launchGate.isOpen ? launcher.launch(launch) : undefined),
    },
  };
}

export async function checkReadiness(
  { db }: OpenDatabase,
  launchGate: LaunchGate,
  { findFullDisk }: { readonly findFullDisk: () => string | undefined },
): Promise<Readiness> {
  if (!launchGate.isOpen)
    return {
      ready: false,
      reason: 'This engine is stopping: it waits for its running tasks and takes no new runs.',
    };
  const full = findFullDisk();
  if (full !== undefined)
    return {
      ready: false,
      reason: `The disk of ${full} is full. Free space; tasks start again by themselves.`,
    };
  return ping(db).then(
    () => ({ ready: true }),
    () => ({
      ready: false,
      reason: 'The database does not answer. Runs go on; new ones can be taken when it is back.',
    }),
  );
}
