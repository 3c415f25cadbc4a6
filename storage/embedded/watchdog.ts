/** Supervision of the embedded PostgreSQL: restarts a server that ends unexpectedly, until it is stopped. */
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Server } from './server-process.ts';
import { sleep } from './sleep.ts';

/** Delay before the first restart in ms; it doubles with each further one up to the maximum. */
const initialDelayMs = 100;
const maxDelayMs = 5_000;

export interface SupervisedServer {
  /** Stops the server, or an attempt to start it; resolves after the exit. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the server with `launch` and restarts it when it ends. A failure of the first start is thrown;
 * later starts are repeated without limit, because the engine can only wait for its database. A server that
 * ran for longer than the maximum delay counts as healthy again. `launch` must end when its signal aborts.
 */
export async function superviseServer(
  launch: (signal: AbortSignal) => Promise<Server>,
  clock: Clock,
  log: Logger,
): Promise<SupervisedServer> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let server = await launch(signal);

  const relaunch = async (first: number): Promise<number> => {
    let delay = first;
    while (!signal.aborted) {
      await sleep(clock, delay, signal);
      if (signal.aborted) break;
      delay = Math.min(2 * delay, maxDelayMs);
      try {
        server = await launch(signal);
        log.info({ serverPid: server.pid }, 'PostgreSQL is running again.');
        break;
      } catch (error) {
        if (!signal.aborted)
          log.error({ reason: messageOf(error), delay }, 'PostgreSQL did not start; retrying.');
      }
    }
    return delay;
  };

  const watch = async (): Promise<void> => {
    let delay = initialDelayMs;
    while (!signal.aborted) {
      const upSince = clock.now();
      const reason = await server.exited;
      if (signal.aborted) break;
      if (clock.now() - upSince > maxDelayMs) delay = initialDelayMs;
      log.error({ reason, delay }, 'PostgreSQL ended unexpectedly; restarting it.');
      delay = await relaunch(delay);
    }
  };

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
      // A start that succeeded at the same moment has replaced the server.
      await server.stop();
    },
  };
}
