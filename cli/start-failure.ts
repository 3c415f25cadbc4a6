/** Why a command failed, in one line for the person who has to do something about it. */
import { codeOf, messageOf } from '../engine/errors.ts';
import type { Config } from './config.ts';
import { inOneLine } from './say.ts';

/** A command that cannot go on, and knows why. The message is one line. */
export class CommandError extends Error {}

const whyNotListening: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Choose another RUNYARD_PORT, or 0 for any free one.',
  EACCES: 'this user may not use that port. Choose a RUNYARD_PORT of 1024 or above.',
  EADDRNOTAVAIL: 'this machine has no such address. Correct RUNYARD_HOST.',
  ENOTFOUND: 'that name has no address. Correct RUNYARD_HOST.',
  EAI_AGAIN: 'that name cannot be looked up now. Correct RUNYARD_HOST, or try again.',
};

/** SQLSTATE: five capitals and digits, at least one of them a digit, so that EPIPE is none. */
const sqlState = /^(?=.*\d)[\dA-Z]{5}$/;

/** What `startService` threw with this configuration, as one line. Never shows the password of the database. */
export function startFailure(error: unknown, config: Config): CommandError {
  const because = (message: string): CommandError => new CommandError(inOneLine(message), { cause: error });
  const first = firstOf(error);
  const code = codeOf(first) ?? '';
  const call = textOf(first, 'syscall');
  const unheard = call === 'listen' || (call === 'getaddrinfo' && textOf(first, 'hostname') === config.host);
  if (unheard) return because(`Cannot listen on ${config.host}, port ${config.port}: ${whyNotListening[code] ?? messageOf(first)}`);
  if (config.databaseUrl !== undefined && (call === 'connect' || call === 'getaddrinfo' || sqlState.test(code))) {
    return because(`The database that DATABASE_URL names (${new URL(config.databaseUrl).host}) cannot be used: ${messageOf(first)}.`);
  }
  if (textOf(first, 'path') !== undefined && call !== undefined) {
    return because(`The data directory ${config.dataDirectory} cannot be used (${messageOf(first)}): correct it, or choose another RUNYARD_DATA_DIR.`);
  }
  return because(messageOf(first));
}

/** A host name with several addresses fails as a bundle without a message of its own. */
function firstOf(error: unknown): unknown {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first ?? error;
}

function textOf(error: unknown, field: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : undefined;
}
