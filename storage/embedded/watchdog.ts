/**
 * Keeps the embedded PostgreSQL running: a server that ends by itself is started again until it is told to
 * stop.
 */
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Server } from './server-process.ts';
import { sleep } from './sleep.ts';

/** Milliseconds before the first new start; each further one waits twice as long, up to the longest. */
const initialDelayMs = 100;
const maxDelayMs = 5_000;

export interface SupervisedServer {
  /** Stops the server, or the attempt to start it; resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the server by `launch` and watches it. The first start may fail, and then throws; later ones are
 * repeated without end, because the engine can do nothing better than wait for its database. A server that
 * stayed up for longer than the longest delay counts as healthy again. `launch` must give up when its signal
 * aborts.
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
        log.info({ serverPid: server.pid }, 'PostgreSQL runs again.');
        break;
      } catch (error) {
        if (!signal.aborted)
          log.error({ reason: messageOf(error), delay }, 'PostgreSQL did not start; trying again.');
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
      log.error({ reason, delay }, 'PostgreSQL ended unexpectedly; starting it again.');
      delay = await relaunch(delay);
    }
  };

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
      // A start that succeeded in the same moment has put another server in place.
      await server.stop();
    },
  };
}
