/** Starts and ends the thread that keeps a node's lease (heartbeat-thread.ts). */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Heartbeat } from '../../../engine/ports/nodes.ts';
import type { Log } from '../../../engine/ports/log.ts';
import type { HeartbeatEvent, HeartbeatOptions, HeartbeatCommand } from './heartbeat-messages.ts';

/** The thread sends a statement now and then; more room would only be filled before it is collected. */
const youngGenerationMb = 2;

/**
 * Keeps the lease of a node that has joined. @param onLost called each time it had ended before it was
 * renewed
 */
export function startHeartbeat(order: HeartbeatOptions, log: Log, onLost: () => void): Heartbeat {
  const facts = { node_id: order.nodeId };
  let closing = false;
  const start = (): Worker => {
    const thread = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), {
      workerData: order,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    });
    thread.on('message', (message: HeartbeatEvent) => {
      if (message.type === 'lost') onLost();
      else if (message.type === 'back') log.info(facts, 'The lease is renewed again.');
      else log.warn({ ...facts, error: message.message }, 'The lease could not be renewed; trying again.');
    });
    thread.on('error', (error) => {
      log.error(
        { ...facts, error: error.message },
        'The thread that keeps the lease has died; starting it again.',
      );
      if (!closing) worker = start();
    });
    return thread;
  };
  let worker = start();
  const say = (message: HeartbeatCommand): void => worker.postMessage(message, []);
  return {
    reportAlive: () => say('alive'),
    async close() {
      closing = true;
      const gone = once(worker, 'exit');
      say('end');
      await gone;
    },
  };
}
