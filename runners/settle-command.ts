/** What a runner settles before its process starts: the command, kept so that a restart of the engine changes nothing. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../engine/errors.ts';
import { LocateError, type Command, type Outcome, type RunnerContext } from './contract.ts';

/** The task cannot be started on this machine or in this form. The message is fit for the run's state. */
export class CannotStart extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotStart';
  }
}

/**
 * The command of an attempt: composed by the first call and read back by every later one. So a file that is moved or
 * deleted while its task runs does not change what a restarted engine says about the task.
 * @param compose may throw CannotStart or LocateError; nothing is kept then
 */
export async function settleCommand(context: RunnerContext, compose: () => Promise<Command>): Promise<Command> {
  const file = join(context.directory, 'command.json');
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) {
    // Written below by an earlier call, in one step.
    const command: Command = JSON.parse(kept);
    return command;
  }
  const command = await compose();
  await writeInOneStep(file, JSON.stringify(command));
  return command;
}

/** Writes a file so that a reader finds all of it or nothing. */
export async function writeInOneStep(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** Ends a task that could not be started: the reason becomes its output and its state_message. Other errors are bugs. */
export async function cannotStart(error: unknown, context: RunnerContext): Promise<Outcome> {
  if (!(error instanceof CannotStart || error instanceof LocateError)) throw error;
  await context.writeOutput({ error: error.message });
  return { kind: 'failed', message: error.message };
}

const howToInstall = {
  python3: 'Install Python 3.8 or newer (for example "apt-get install python3")',
  java: 'Install a Java runtime (for example "apt-get install default-jre-headless")',
} as const;

/**
 * The path of an interpreter that a task needs.
 * @throws CannotStart when this machine has none; the message says what to install
 */
export async function requireInterpreter(context: RunnerContext, program: keyof typeof howToInstall): Promise<string> {
  const path = await context.interpreter(program);
  if (path !== undefined) return path;
  throw new CannotStart(
    `${program} was not found on this machine. ${howToInstall[program]} and start the run again; ` +
      '"runyard doctor" shows what this machine can run.',
  );
}
