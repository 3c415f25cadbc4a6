/** Wires the firing of schedules: what is due in the database becomes runs of this node. */
import type { Clock } from '../../engine/clock.ts';
import { startScheduler } from '../../engine/coordinator/scheduler.ts';
import type { LaunchPorts } from '../../engine/launch.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import { isTransientError } from '../../storage/postgres/transient-errors.ts';
import { listenForScheduleChanges } from '../../storage/postgres/schedules/schedule-listener.ts';
import { createScheduleStore } from '../../storage/postgres/schedules/schedules.ts';

/** Fires schedules until it is closed. */
export async function startSchedules(
  address: DatabaseAddress,
  { db }: OpenDatabase,
  launching: Omit<LaunchPorts, 'runs'>,
  clock: Clock,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const firing = startScheduler({
    schedules: createScheduleStore(db),
    launchPorts: launching,
    clock,
    log,
    isTransientError: isTransientError,
  });
  const wake = listenForScheduleChanges({ address, clock, log }, firing.wake);
  await wake.ready;
  return {
    async close() {
      await wake.close();
      await firing.close();
    },
  };
}
