/**
 * Runs a task that is one program: starts it, waits, and says from its exit code and its stderr why it
 * failed.
 */
import { join } from 'node:path';
import { readLogTail } from '../../engine/log-file.ts';
import { truncateUtf8, type TaskOutput } from '../../engine/run/task-output.ts';
import type { Command, TaskOutcome, RunnerContext } from '../contract.ts';
import { workloadFailedMessage } from '../../engine/run/attempt-end.ts';
import { describeExit, outcomeOf } from './describe-exit.ts';
import { reportStartError, pinCommand } from './pinned-command.ts';

/** How much of the end of stderr is searched for the reason of a failure. */
const tailBytes = 256 * 2 ** 10;
/** An error is one line to read, however long the message of the exception was. */
const errorBytesMax = 2_000;

/** Why a program failed, as found in what it wrote. */
export interface ProgramFailure {
  readonly error: string;
  /** Absent where the program left none. */
  readonly errorTrace?: string;
}

export interface Program {
  /** How messages call it: `The Python program ended with exit code 3.` */
  readonly name: string;
  /** What to start. May throw CannotStart or LocateError. */
  command(): Promise<Command>;
  /** Finds the reason of exit code 1 at the end of stderr, when there is one. */
  findFailure(stderr: string): ProgramFailure | undefined;
}

/**
 * Runs one attempt of a program to its end. A failure is kept as the attempt's output: the last exception
 * with its trace, or the exit code in words.
 */
export async function runProgram(program: Program, context: RunnerContext): Promise<TaskOutcome> {
  let command;
  try {
    command = await pinCommand(context, () => program.command());
  } catch (error) {
    return reportStartError(error, context);
  }
  const exit = await context.exec(command);
  if (exit.kind === 'exited' && exit.code !== 0)
    await context.writeOutput(await createFailureOutput(program, exit.code, context));
  if (exit.kind === 'flooded') await context.writeOutput({ error: exit.message });
  return outcomeOf(exit, workloadFailedMessage);
}

async function createFailureOutput(
  program: Program,
  code: number,
  context: RunnerContext,
): Promise<TaskOutput> {
  // An uncaught exception ends Python and Java with code 1; with any other code a trace in the log is not the
  // reason.
  const failure =
    code === 1
      ? program.findFailure(await readLogTail(join(context.directory, 'stderr'), tailBytes))
      : undefined;
  if (failure === undefined) return { error: `The ${program.name} ended with ${describeExit(code)}.` };
  return { ...failure, error: truncateUtf8(failure.error, errorBytesMax).text };
}
