/** Stop signals: the first SIGTERM or SIGINT starts the shutdown, a later one forces it. */
import type { Clock } from '../engine/clock.ts';

/** Window in which a second SIGINT is a duplicate, ms: `npm start` forwards the Ctrl-C of the terminal. */
const duplicateSignalMs = 1_000;

export interface StopSignal {
  /** Resolves when the first signal arrives. */
  readonly firstSignal: Promise<NodeJS.Signals>;
  /** Resolves when a second SIGTERM arrives. */
  readonly secondSignal: Promise<void>;
  /** Restores the default handling of the signals. */
  dispose(): void;
}

/** Listens for signals. A SIGINT more than a second after the first signal exits at once, with code 130. */
export function listenForStop(clock: Clock): StopSignal {
  const firstSignal = Promise.withResolvers<NodeJS.Signals>();
  const secondSignal = Promise.withResolvers<void>();
  let firstTime: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstTime === undefined) {
      firstTime = clock.now();
      firstSignal.resolve(signal);
    } else if (signal === 'SIGINT' && clock.now() - firstTime > duplicateSignalMs) {
      process.exit(130);
    } else if (signal === 'SIGTERM') {
      secondSignal.resolve();
    }
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return {
    firstSignal: firstSignal.promise,
    secondSignal: secondSignal.promise,
    dispose: () => {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    },
  };
}
