/** Listener for changes of schedules, made by any engine. */
import { listen, type Listener, type ListenPorts } from '../listen.ts';
import { scheduleChannel } from './schedule-changes.ts';

/**
 * Calls `onChange` with the time of each stored fire (epoch ms), and with the current time when notifications
 * may have been missed.
 */
export function listenForScheduleChanges(ports: ListenPorts, onChange: (at: number) => void): Listener {
  return listen(ports, {
    channel: scheduleChannel,
    subject: 'schedules',
    onNotify: (payload) => onChange(payload === undefined ? ports.clock.now() : Number(payload)),
  });
}
