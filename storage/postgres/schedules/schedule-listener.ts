/** Hears which schedules other transactions have changed, also those of other engines. */
import { listen, type Listener, type ListenPorts } from '../listen.ts';
import { scheduleChannel } from './schedule-changes.ts';

/**
 * Calls `changed` with the time of a fire (epoch ms) that was stored, whoever stored it, and with `now` when
 * changes may have gone unheard.
 */
export function listenForScheduleChanges(ports: ListenPorts, changed: (at: number) => void): Listener {
  return listen(ports, {
    channel: scheduleChannel,
    subject: 'schedules',
    onNotify: (payload) => changed(payload === undefined ? ports.clock.now() : Number(payload)),
  });
}
