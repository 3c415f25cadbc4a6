/** Stores the command of an attempt, so that a restart of the engine does not change it. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { codeOf } from '../../engine/errors.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { LocateError, type Command, type TaskOutcome, type RunnerContext } from '../contract.ts';

/** The task cannot be started on this machine or in this form. The message becomes the state message. */
export class TaskStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TaskStartError';
  }
}

/** Larger than any command: parameters of a task are limited to a thousandth of it. */
const commandBytesMax = 16 * 2 ** 20;

const StoredCommand = Type.Object({
  argv: Type.Array(Type.String()),
  cwd: Type.Optional(Type.String()),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/**
 * Returns the command of an attempt: composed by the first call and read by later ones. A file that is moved
 * while its task runs thus does not matter after a restart of the engine.
 * @param compose may throw TaskStartError or LocateError; nothing is stored then
 */
export async function pinCommand(context: RunnerContext, compose: () => Promise<Command>): Promise<Command> {
  const file = join(context.directory, 'command.json');
  const kept = await readStoredCommand(file);
  if (kept !== undefined) return kept;
  const command = await compose();
  if (!createFile(file, JSON.stringify(command))) await writeFileAtomically(file, JSON.stringify(command));
  return command;
}

/**
 * Creates a small file in place, which costs a third of a draft and its rename; readers ignore an incomplete one.
 * Returns false when the name is taken.
 */
function createFile(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Reads the stored command. The task can write that file too, so an invalid one counts as absent. */
async function readStoredCommand(file: string): Promise<Command | undefined> {
  const { text, truncated } = await readHead(file, commandBytesMax);
  const kept = truncated ? undefined : tryParseJson(text);
  if (!Check(StoredCommand, kept)) return undefined;
  const [program, ...args] = kept.argv;
  return program === undefined ? undefined : { ...kept, argv: [program, ...args] };
}

/**
 * Writes a file atomically. Of concurrent writers the last one wins.
 * @param mode more than 0o600 for files that the user of the task reads
 */
export async function writeFileAtomically(file: string, text: string, mode = 0o600): Promise<void> {
  await createFileAtomically(file, (draft) => writeFile(draft, text, { flag: 'wx', mode }));
}

/** Creates a file atomically: `make` writes it under the name that it is given. */
export async function createFileAtomically(
  file: string,
  make: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${randomUUID()}.part`;
  try {
    await make(draft);
    await rename(draft, file).catch(async (error: unknown) => {
      // The task replaced the file by a directory.
      if (codeOf(error) !== 'EISDIR') throw error;
      await rm(file, { recursive: true, force: true });
      await rename(draft, file);
    });
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Fails a task that could not be started, with the reason as output and state message. Rethrows bugs. */
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
 * Returns the path of an interpreter.
 * @throws TaskStartError when this machine has none; the message says what to install
 */
export async function requireInterpreter(
  context: RunnerContext,
  program: keyof typeof installHints,
): Promise<string> {
  const path = await context.interpreter(program);
  if (path !== undefined) return path;
  const ofCluster = context.cluster?.environment['PATH'];
  if (ofCluster !== undefined)
    throw new TaskStartError(
      `${program} was not found on PATH=${ofCluster}, set in spark_env_vars of cluster ${context.cluster?.clusterId}. ` +
        `Remove or correct PATH there, and start the run again.`,
    );
  throw new TaskStartError(
    `${program} was not found on this machine. ${installHints[program]} and start the run again; ` +
      '"runyard doctor" shows what this machine can run.',
  );
}
