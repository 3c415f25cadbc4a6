/** `runyard serve`: starts the service, prints its URL, and shuts it down on a signal. */
import { flushCompileCache } from 'node:module';
import { systemClock } from '../engine/clock.ts';
import { bootstrapTokenPath } from './wiring/bootstrap-token.ts';
import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { isUnencrypted } from './wiring/tls.ts';
import { printDiagnostic } from './commands/print-line.ts';
import { startDatabaseServer } from './wiring/database-server.ts';
import { toStartError } from './start-error.ts';
import { listenForStop } from './stop-signal.ts';

/** Maximum duration of a shutdown, ms; shorter than the 10 s after which supervisors kill a process. */
const stopTimeoutMs = 9_500;

export interface ServeOptions {
  /** Waits for the running tasks before the shutdown. */
  readonly drain?: true;
}

/**
 * Runs until SIGTERM or SIGINT, then shuts down within ten seconds; tasks continue and the next start adopts
 * them. With `drain`, first waits for the tasks, until a second SIGTERM. Resolves with the exit code.
 * @throws ConfigError, CommandError
 */
export async function runServe({ drain }: ServeOptions): Promise<number> {
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const stop = listenForStop(systemClock);
  const timedOut = Promise.withResolvers<number>();
  const limitShutdown = (): void => {
    setTimeout(() => {
      log.error('Graceful shutdown timed out; exiting now. The next start resumes all runs.');
      timedOut.resolve(1);
    }, stopTimeoutMs).unref();
  };
  const serving = async (): Promise<number> => {
    const server = startDatabaseServer(config, systemClock, log);
    // `startService` reports the failure; the modules are still being loaded.
    server.catch(() => undefined);
    // Loading these modules takes as long as the start of PostgreSQL.
    const { startService } = await import('./wiring/service.ts');
    const service = await startService(config, log, server).catch((error: unknown) => {
      throw toStartError(error, config);
    });
    log.info({ url: service.url }, 'Runyard is ready.');
    if (isUnencrypted(config))
      log.warn(
        { host: config.host },
        'Tokens cross the network unencrypted. Set RUNYARD_TLS_CERT and RUNYARD_TLS_KEY, or name your TLS proxy in RUNYARD_TRUSTED_PROXIES.',
      );
    // At the start, because a killed engine cannot write the cache at its end.
    flushCompileCache();
    printDiagnostic(`Runyard is ready at ${service.url}`);
    if (service.tokenIsNew) {
      printDiagnostic(
        `Token of the first administrator (\`runyard token\` shows it again; kept in ${bootstrapTokenPath(config.dataDirectory)}): ${service.token}`,
      );
    }
    const signal = await stop.firstSignal;
    if (drain === true) {
      log.info(
        { signal },
        'Draining: waiting for the running tasks. A second SIGTERM leaves them to the next start.',
      );
      await Promise.race([service.drain(), stop.secondSignal]);
      limitShutdown();
    }
    log.info({ signal }, 'Stopping; running tasks continue.');
    await service.stop();
    log.info('Stopped.');
    return 0;
  };
  // The limit also covers a start that hangs. Draining has no limit.
  if (drain !== true) void stop.firstSignal.then(limitShutdown);
  return Promise.race([serving(), timedOut.promise]);
}
