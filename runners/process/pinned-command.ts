/**
 * What a runner settles before its process starts: the command, kept so that a restart of the engine changes
 * nothing.
 */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { codeOf } from '../../engine/errors.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { LocateError, type Command, type TaskOutcome, type RunnerContext } from '../contract.ts';

/** The task cannot be started on this machine or in this form. The message is fit for the run's state. */
export class TaskStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotStart';
  }
}

/** Far more than any command has: the parameters of a task are limited to a thousandth of it. */
const commandBytesMax = 16 * 2 ** 20;

const StoredCommand = Type.Object({
  argv: Type.Array(Type.String()),
  cwd: Type.Optional(Type.String()),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/**
 * The command of an attempt: composed by the first call and read back by every later one. So a file that is
 * moved or deleted while its task runs does not change what a restarted engine says about the task.
 * @param compose may throw CannotStart or LocateError; nothing is kept then
 */
export async function pinCommand(context: RunnerContext, compose: () => Promise<Command>): Promise<Command> {
  const file = join(context.directory, 'command.json');
  const kept = await readStoredCommand(file);
  if (kept !== undefined) return kept;
  const command = await compose();
  await writeFileAtomically(file, JSON.stringify(command));
  return command;
}

/**
 * What an earlier call kept. The task can write that file too: one that holds no command counts as absent.
 */
async function readStoredCommand(file: string): Promise<Command | undefined> {
  const { text, truncated } = await readHead(file, commandBytesMax);
  const kept = truncated ? undefined : tryParseJson(text);
  if (!Check(StoredCommand, kept)) return undefined;
  const [program, ...args] = kept.argv;
  return program === undefined ? undefined : { ...kept, argv: [program, ...args] };
}

/**
 * Writes a file so that a reader finds all of it or nothing. Several may write the same file at once: the
 * last one wins.
 * @param mode for what the task is to read, which may be another user
 */
export async function writeFileAtomically(file: string, text: string, mode = 0o600): Promise<void> {
  await createFileAtomically(file, (draft) => writeFile(draft, text, { flag: 'wx', mode }));
}

/** As `writeFileAtomically`, for what `make` puts under the name that it is given. */
export async function createFileAtomically(
  file: string,
  make: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${randomUUID()}.part`;
  try {
    await make(draft);
    await rename(draft, file).catch(async (error: unknown) => {
      // A directory is never ours: the task made it.
      if (codeOf(error) !== 'EISDIR') throw error;
      await rm(file, { recursive: true, force: true });
      await rename(draft, file);
    });
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Ends a task that could not be started: the reason becomes its output and its state_message. Other errors
 * are bugs.
 */
export async function reportStartError(error: unknown, context: RunnerContext): Promise<TaskOutcome> {
  if (!(error instanceof TaskStartError || error instanceof LocateError)) throw error;
  await context.writeOutput({ error: error.message });
  return { kind: 'failed', message: error.message };
}

const installHints = {
  python3: 'Install Python 3.8 or newer (for example "apt-get install python3")',
  java: 'Install a Java runtime (for example "apt-get install default-jre-headless")',
} as const;

/**
 * The path of an interpreter that a task needs.
 * @throws CannotStart when this machine has none; the message says what to install
 */
export async function requireInterpreter(
  context: RunnerContext,
  program: keyof typeof installHints,
): Promise<string> {
  const path = await context.interpreter(program);
  if (path !== undefined) return path;
  throw new TaskStartError(
    `${program} was not found on this machine. ${installHints[program]} and start the run again; ` +
      '"runyard doctor" shows what this machine can run.',
  );
}
