/** `runyard token`: prints the token of the first administrator. */
import { messageOf } from '../../engine/errors.ts';
import { bootstrapTokenPath, readBootstrapToken } from '../wiring/bootstrap-token.ts';
import { readConfig } from '../config.ts';
import { printDiagnostic, printLine } from './print-line.ts';
import { CommandError } from '../start-error.ts';

/**
 * Prints the token to stdout, and a usage example on a terminal. Resolves with the exit code.
 * @throws ConfigError, CommandError
 */
export async function printToken(): Promise<number> {
  const config = readConfig();
  const token = config.bootstrapToken ?? (await readGeneratedToken(config.dataDirectory));
  printLine(token);
  if (process.stdout.isTTY) {
    const address = config.publicUrl ?? `http://${config.host}:${config.port}`;
    printDiagnostic(`Example: curl -H 'Authorization: Bearer ${token}' ${address}/api/2.1/jobs/list`);
  }
  return 0;
}

async function readGeneratedToken(dataDirectory: string): Promise<string> {
  const token = await readBootstrapToken(dataDirectory).catch((error: unknown) => {
    throw new CommandError(
      `The token in ${bootstrapTokenPath(dataDirectory)} cannot be read: ${messageOf(error)}.`,
    );
  });
  if (token === undefined || token === '') {
    throw new CommandError(
      `There is no token in ${dataDirectory} yet: start the service there once, name its RUNYARD_DATA_DIR, or set RUNYARD_BOOTSTRAP_TOKEN.`,
    );
  }
  return token;
}
