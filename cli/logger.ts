/** The service's log: JSON lines for machines, coloured lines on a terminal. */
import { destination, pino, type Logger } from 'pino';
import { build } from 'pino-pretty';
import type { Config } from './config.ts';

/**
 * Logs to stdout. Written at once, so that the last lines before an end are not the ones that are missing.
 */
export function createLogger(level: Config['logLevel']): Logger {
  if (process.stdout.isTTY)
    return pino({ level }, build({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
  return pino({ level }, destination({ dest: 1, sync: true }));
}

/** Logs JSON lines to a file, which is made when it is missing and appended to when it is not. */
export function createFileLogger(level: Config['logLevel'], file: string): Logger {
  return pino({ level }, destination({ dest: file, sync: true, mkdir: true }));
}
