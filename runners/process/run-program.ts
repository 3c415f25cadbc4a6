/** Runs a task that is one program, and derives the error of a failure from its exit code and stderr. */
import { join } from 'node:path';
import { readLogTail } from '../../engine/log-file.ts';
import { truncateUtf8, type TaskOutput } from '../../engine/run/task-output.ts';
import type { Command, TaskOutcome, RunnerContext } from '../contract.ts';
import { workloadFailedMessage } from '../../engine/run/attempt-end.ts';
import type { Failure } from '../../engine/run/explain/failure.ts';
import { userFramesOf } from '../../engine/run/explain/stack-frames.ts';
import { describeExit, outcomeOf } from './describe-exit.ts';
import { countKernelKills, findOomKill } from './oom-kill.ts';
import { readLastLines } from './program-end.ts';
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
  /** Returns the class path as the task names it, for the message about a missing class. */
  searched?(): readonly string[];
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
  const killsBefore = countKernelKills();
  const exit = await context.exec(command);
  if (exit.kind === 'flooded') await context.writeOutput({ error: exit.message });
  if (exit.kind !== 'exited' || exit.code === 0) return outcomeOf(exit, workloadFailedMessage);
  const { output, failure } = await describeFailure(program, exit.code, context, killsBefore);
  await context.writeOutput(output);
  return { kind: 'failed', message: workloadFailedMessage, failure };
}

async function describeFailure(
  program: Program,
  code: number,
  context: RunnerContext,
  killsBefore: number | undefined,
): Promise<{ readonly output: TaskOutput; readonly failure: Failure }> {
  // Uncaught exceptions end Python and Java with code 1; for other codes a trace is not the reason.
  const found =
    code === 1
      ? program.findFailure(await readLogTail(join(context.directory, 'stderr'), tailBytes))
      : undefined;
  const lastLines = await readLastLines(context.directory);
  if (found?.errorTrace === undefined) {
    const error = found?.error ?? `The ${program.name} ended with ${describeExit(code)}.`;
    return {
      output: { error: truncateUtf8(error, errorBytesMax).text },
      failure: {
        kind: 'exit',
        program: program.name,
        code,
        error: exitText(program, code),
        lastLines,
        oomKill: await findOomKill(context.directory, code, killsBefore),
      },
    };
  }
  const error = truncateUtf8(found.error, errorBytesMax).text;
  return {
    output: { ...found, error },
    failure: { kind: 'error', error, ...userFramesOf(found.errorTrace), searched: program.searched?.() },
  };
}

/** The last output follows in the next step, so that it is told once. */
function exitText(program: Program, code: number): string {
  return `The ${program.name} ended with ${describeExit(code)}.`;
}
