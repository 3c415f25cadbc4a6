/** Parses the command line and runs one command. */
import { CommanderError } from 'commander';
import { messageOf } from '../engine/errors.ts';
import { printDiagnostic } from './commands/print-line.ts';
import { ConfigError } from './config.ts';
import { buildProgram } from './program.ts';
import { CommandError } from './start-error.ts';

/**
 * Runs the command of a command line.
 * @param words the arguments after the program
 * @returns the exit code: that of the command, 1 for a failure, 2 for wrong usage, 3 without a service
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  let code = 0;
  const finish = (commandCode: number): void => {
    code = commandCode;
  };
  try {
    await buildProgram(finish).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error);
  }
}

/** Prints an expected error as one line, and a bug with its stack trace. */
function reportError(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Without a command, Commander has already printed the help.
    if (error.code !== 'commander.help')
      printDiagnostic(
        `runyard: ${error.message.replace(/^error: /, '').replaceAll('\n', ' ')} (see runyard --help)`,
      );
    return 2;
  }
  const expected = error instanceof ConfigError || error instanceof CommandError;
  printDiagnostic(`runyard: ${expected ? error.message : stackOf(error)}`);
  return error instanceof CommandError ? error.exitCode : 1;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}
