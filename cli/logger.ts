/** Log of the service: JSON lines, or coloured lines on a terminal. */
import { destination, pino, type Logger } from 'pino';
import { build } from 'pino-pretty';
import type { Config } from './config.ts';

/** Logs to stdout. Writes are synchronous, so that an exit loses no lines. */
export function createLogger(level: Config['logLevel']): Logger {
  if (process.stdout.isTTY)
    return pino({ level }, build({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
  return pino({ level }, destination({ dest: 1, sync: true }));
}

/** Appends JSON lines to a file and creates it when it is missing. */
export function createFileLogger(level: Config['logLevel'], file: string): Logger {
  return pino({ level }, destination({ dest: file, sync: true, mkdir: true }));
}
