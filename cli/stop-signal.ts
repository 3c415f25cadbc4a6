/** SIGTERM and SIGINT: the first asks to stop, a later one insists. */
import type { Clock } from '../engine/clock.ts';

/**
 * `npm start` passes Ctrl-C on to a process that the terminal has told already: within this time (ms) it is
 * the same one.
 */
const duplicateSignalMs = 1_000;

export interface StopSignal {
  /** Resolves when the first signal arrives. */
  readonly firstSignal: Promise<NodeJS.Signals>;
  /** Resolves when a second SIGTERM arrives. */
  readonly secondSignal: Promise<void>;
  /** Gives the signals back to their usual meaning. */
  dispose(): void;
}

/**
 * Listens from now on. A SIGINT that comes more than a second after the first signal ends the process at
 * once, with 130.
 */
export function listenForStop(clock: Clock): StopSignal {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const insisted = Promise.withResolvers<void>();
  let first: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = clock.now();
      resolve(signal);
    } else if (signal === 'SIGINT' && clock.now() - first > duplicateSignalMs) {
      process.exit(130);
    } else if (signal === 'SIGTERM') {
      insisted.resolve();
    }
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return {
    firstSignal: promise,
    secondSignal: insisted.promise,
    dispose: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    },
  };
}
