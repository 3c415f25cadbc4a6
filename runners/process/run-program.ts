/** Runs a task that is one program, and derives the error of a failure from its exit code and stderr. */
import { join } from 'node:path';
import { readLogTail } from '../../engine/log-file.ts';
import { truncateUtf8, type TaskOutput } from '../../engine/run/task-output.ts';
import type { Command, TaskOutcome, RunnerContext } from '../contract.ts';
import { workloadFailedMessage } from '../../engine/run/attempt-end.ts';
import { describeExit, outcomeOf } from './describe-exit.ts';
import { reportStartError, pinCommand } from './pinned-command.ts';

/** Length of the end of stderr that is searched for the error. */
const tailBytes = 256 * 2 ** 10;
/** Maximum length of an error. */
const errorBytesMax = 2_000;

/** Error of a program, found in its output. */
export interface ProgramFailure {
  readonly error: string;
  /** Absent where the program left none. */
  readonly errorTrace?: string;
}

export interface Program {
  /** Name in messages: `The Python program ended with exit code 3.` */
  readonly name: string;
  /** Returns the command. May throw TaskStartError or LocateError. */
  command(): Promise<Command>;
  /** Finds the reason of exit code 1 at the end of stderr, when there is one. */
  findFailure(stderr: string): ProgramFailure | undefined;
}

/**
 * Runs one attempt of a program. The output of a failed one is the last exception with its trace, or the exit
 * code in words.
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
  // Uncaught exceptions end Python and Java with code 1; for other codes a trace is not the reason.
  const failure =
    code === 1
      ? program.findFailure(await readLogTail(join(context.directory, 'stderr'), tailBytes))
      : undefined;
  if (failure === undefined) return { error: `The ${program.name} ended with ${describeExit(code)}.` };
  return { ...failure, error: truncateUtf8(failure.error, errorBytesMax).text };
}
