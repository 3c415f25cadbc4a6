/** Wires the scheduler of one node, which launches a run for every due schedule. */
import type { Clock } from '../../engine/clock.ts';
import { startScheduler } from '../../engine/coordinator/scheduler.ts';
import type { LaunchPorts } from '../../engine/launch.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import { isTransientError } from '../../storage/postgres/transient-errors.ts';
import { listenForScheduleChanges } from '../../storage/postgres/schedules/schedule-listener.ts';
import { createScheduleStore } from '../../storage/postgres/schedules/schedules.ts';
import { stopAll } from './shutdown.ts';

export async function startSchedules(
  address: DatabaseAddress,
  { db }: OpenDatabase,
  launching: Omit<LaunchPorts, 'runs'>,
  clock: Clock,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const scheduler = startScheduler({
    schedules: createScheduleStore(db),
    launchPorts: launching,
    clock,
    log,
    isTransientError,
  });
  const listener = listenForScheduleChanges({ address, clock, log }, scheduler.wake);
  await listener.ready;
  return { close: () => stopAll([() => listener.close(), () => scheduler.close()]) };
}
