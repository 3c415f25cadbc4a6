/** One-line messages for failed commands. */
import { codeOf, messageOf } from '../engine/errors.ts';
import { UnsupportedSchemaError } from '../storage/migrations/unsupported-schema-error.ts';
import type { Config } from './config.ts';
import { toSingleLine } from './commands/print-line.ts';

/** Expected failure of a command. The message is one line. */
export class CommandError extends Error {
  /** Exit code of the command: 1 failure, 2 wrong usage. */
  readonly exitCode: number = 1;

  /** @param usage whether the command was called in a wrong way */
  constructor(
    message: string,
    { usage = false, ...options }: ErrorOptions & { readonly usage?: boolean } = {},
  ) {
    super(message, options);
    if (usage) this.exitCode = 2;
  }
}

const listenErrorHints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Choose another RUNYARD_PORT, or 0 for any free one.',
  EACCES: 'this user may not use that port. Choose a RUNYARD_PORT of 1024 or above.',
  EADDRNOTAVAIL: 'this machine has no such address. Correct RUNYARD_HOST.',
  ENOTFOUND: 'this host name has no address. Correct RUNYARD_HOST.',
  EAI_AGAIN: 'this host name cannot be resolved now. Correct RUNYARD_HOST, or try again.',
};

/**
 * SQLSTATE classes of a server that accepts no session: connection failure, invalid authorization, unknown
 * database, insufficient resources, shutdown.
 */
const databaseUnavailableState = /^(08|28|3D|53|57)[\dA-Z]{3}$/;

/** Converts an error of `startService` to a one-line message that hides the database password. */
export function toStartError(error: unknown, config: Config): CommandError {
  return new CommandError(toSingleLine(describeStartError(error, config)), { cause: error });
}

function describeStartError(error: unknown, config: Config): string {
  if (error instanceof UnsupportedSchemaError) return describeUnsupportedSchema(error, config);
  const { host, port, databaseUrl, dataDirectory } = config;
  const origin = rootCauseOf(error);
  const reason = messageOf(origin);
  const code = codeOf(origin) ?? '';
  const call = stringFieldOf(origin, 'syscall');
  const path = stringFieldOf(origin, 'path');
  if (call === 'listen' || (call === 'getaddrinfo' && stringFieldOf(origin, 'hostname') === host)) {
    return `Cannot listen on ${host}, port ${port}: ${listenErrorHints[code] ?? reason}`;
  }
  if (
    databaseUrl !== undefined &&
    (call === 'connect' || call === 'getaddrinfo' || databaseUnavailableState.test(code))
  ) {
    return `The database that DATABASE_URL names (${new URL(databaseUrl).host}) cannot be used: ${reason}.`;
  }
  if (path !== undefined && (path.startsWith(dataDirectory) || dataDirectory.startsWith(path))) {
    return `The data directory ${dataDirectory} cannot be used (${reason}): correct it, or choose another RUNYARD_DATA_DIR.`;
  }
  return messageOf(error);
}

/** Returns the message of a database that an unsupported version of Runyard created. */
function describeUnsupportedSchema({ migration }: UnsupportedSchemaError, config: Config): string {
  const { databaseUrl, dataDirectory } = config;
  const url = databaseUrl === undefined ? undefined : new URL(databaseUrl);
  const database =
    url === undefined
      ? `The database in the data directory ${dataDirectory}`
      : `The database ${url.pathname.slice(1)}${url.host === '' ? '' : ` on ${url.host}`}`;
  const replacement =
    url === undefined
      ? 'another RUNYARD_DATA_DIR'
      : 'a new database in DATABASE_URL and another RUNYARD_DATA_DIR';
  return (
    `${database} was created by a version of Runyard from before the schema was frozen (migration ${migration}) and cannot be upgraded. ` +
    `Start with ${replacement}. To keep the jobs, read them from the old version with jobs/list and jobs/get, and create them in the new one with jobs/create.`
  );
}

/** Returns the innermost cause. A host name with several addresses fails with an AggregateError. */
function rootCauseOf(error: unknown): unknown {
  const cause: unknown =
    error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;
  return cause === undefined ? error : rootCauseOf(cause);
}

function stringFieldOf(error: unknown, field: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : undefined;
}
