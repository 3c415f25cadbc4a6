/** `runyard serve`: starts the service, says where it is, and stops it when it is told to. */
import { flushCompileCache } from 'node:module';
import { systemClock } from '../engine/clock.ts';
import { bootstrapTokenPath } from './wiring/bootstrap-token.ts';
import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { isUnencrypted } from './wiring/tls.ts';
import { printDiagnostic } from './commands/print-line.ts';
import { startService } from './wiring/service.ts';
import { toStartError } from './start-error.ts';
import { listenForStop } from './stop-signal.ts';

/** Whoever supervises the service kills it some seconds after this (ms); ending by itself tells more. */
const stopTimeoutMs = 9_500;

export interface ServeOptions {
  /** Waits for running tasks when it is told to stop. */
  readonly drain?: true;
}

/**
 * Runs until SIGTERM or SIGINT, then stops within ten seconds; tasks go on and are adopted at the next start.
 * With `drain` it first waits for them, until a second SIGTERM. Resolves with the exit code. @throws
 * ConfigError, CommandError
 */
export async function runServe({ drain }: ServeOptions): Promise<number> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const stop = listenForStop(systemClock);
  const outOfTime = Promise.withResolvers<number>();
  const hurry = (): void => {
    setTimeout(() => {
      log.error('Stopping took too long: ending now. Nothing is lost, the next start takes over.');
      outOfTime.resolve(1);
    }, stopTimeoutMs).unref();
  };
  const serving = async (): Promise<number> => {
    const service = await startService(config, log).catch((error: unknown) => {
      throw toStartError(error, config);
    });
    log.info({ url: service.url }, 'Runyard is ready.');
    if (isUnencrypted(config))
      log.warn(
        { host: config.host },
        'Tokens cross the network in the clear: set RUNYARD_TLS_CERT and RUNYARD_TLS_KEY, or name the proxy in front that speaks TLS in RUNYARD_TRUSTED_PROXIES.',
      );
    // Now, because an engine that is killed writes nothing at its end.
    flushCompileCache();
    printDiagnostic(`Runyard is ready at ${service.url}`);
    if (service.tokenIsNew) {
      printDiagnostic(
        `Token of the first administrator (\`runyard token\` shows it again; kept in ${bootstrapTokenPath(config.dataDirectory)}): ${service.token}`,
      );
    }
    const signal = await stop.firstSignal;
    if (drain === true) {
      log.info({ signal }, 'Waiting for the running tasks; a second SIGTERM leaves them to the next start.');
      await Promise.race([service.drain(), stop.secondSignal]);
      hurry();
    }
    log.info({ signal }, 'Stopping; tasks that still run go on.');
    await service.stop();
    log.info('Stopped.');
    return 0;
  };
  // Listened to from now on, because a start may hang as well; whoever drains has time.
  if (drain !== true) void stop.firstSignal.then(hurry);
  return Promise.race([serving(), outOfTime.promise]);
}
