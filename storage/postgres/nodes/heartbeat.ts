/** Starts and stops the heartbeat thread (heartbeat-thread.ts). */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Heartbeat } from '../../../engine/ports/nodes.ts';
import type { Log } from '../../../engine/ports/log.ts';
import type { HeartbeatEvent, HeartbeatOptions, HeartbeatCommand } from './heartbeat-messages.ts';

/** Heap for new objects; the thread needs little, and a larger one only delays garbage collection. */
const youngGenerationMb = 2;

/**
 * Renews the lease of a registered node until it is closed.
 * @param onLost called each time the lease had ended before its renewal
 */
export function startHeartbeat(options: HeartbeatOptions, log: Log, onLost: () => void): Heartbeat {
  const fields = { node_id: options.nodeId };
  let closing = false;
  const start = (): Worker => {
    const thread = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    });
    thread.on('message', (message: HeartbeatEvent) => {
      if (message.type === 'lost') onLost();
      else if (message.type === 'back') log.info(fields, 'Lease renewal works again.');
      else log.warn({ ...fields, error: message.message }, 'Lease renewal failed; retrying.');
    });
    thread.on('error', (error) => {
      log.error({ ...fields, error: error.message }, 'The heartbeat thread failed; restarting it.');
      if (!closing) worker = start();
    });
    return thread;
  };
  let worker = start();
  const post = (message: HeartbeatCommand): void => worker.postMessage(message, []);
  return {
    reportAlive: () => post('alive'),
    async close() {
      closing = true;
      const exited = once(worker, 'exit');
      post('end');
      await exited;
    },
  };
}
