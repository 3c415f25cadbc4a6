/**
 * Runs attempts of a plugin's kind in a pool thread of that plugin: whatever it throws or answers becomes an
 * outcome.
 */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { messageOf } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { truncateUtf8, type TaskOutput } from '../../engine/run/task-output.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { TaskOutcome, RunnerContext, RunnerPlugin } from '../contract.ts';
import type { AttemptRequest } from '../pool/thread-messages.ts';
import { killMarkedProcesses } from '../process/process-group.ts';
import { runWithContext } from '../pool/worker.ts';

/** An attempt, and the module of the plugin that runs it, as a file URL. */
export interface PluginAttemptRequest extends AttemptRequest {
  readonly module: string;
}

/** A message stands in the state of a run: a sentence or two, not a log. */
const messageBytesMax = 2_000;
const traceBytesMax = 2 ** 20;

const OutcomeSchema = Type.Union([
  Type.Object({ kind: Type.Literal('succeeded') }),
  Type.Object({ kind: Type.Literal('stopped') }),
  Type.Object({ kind: Type.Literal('failed'), message: Type.String() }),
  Type.Object({ kind: Type.Literal('lost'), message: Type.String() }),
]);

/**
 * One attempt, from its assignment to its outcome. Never throws; only a plugin that takes the thread down
 * leaves without one.
 */
export async function runAttempt(request: PluginAttemptRequest): Promise<TaskOutcome> {
  const { kind, task, directory } = request.assignment;
  return runWithContext(request, async (context) => {
    const bounded: RunnerContext = {
      ...context,
      writeOutput: (output) =>
        context.writeOutput(truncateOutput(output, context.limits.notebookResultBytes)),
    };
    try {
      const { plugin }: { plugin: RunnerPlugin } = await import(request.module);
      return parseOutcome(kind, await plugin.run(task, bounded));
    } catch (error) {
      // The task ends here: what its processes might still do, nobody would wait for.
      await killMarkedProcesses(directory, createWakeSignal());
      const message = truncateMessage(`The runner of ${kind} failed: ${messageOf(error)}`);
      await bounded.writeOutput({
        error: message,
        ...(error instanceof Error && error.stack !== undefined && { errorTrace: error.stack }),
      });
      return { kind: 'failed', message };
    }
  });
}

function parseOutcome(kind: string, told: unknown): TaskOutcome {
  if (!Check(OutcomeSchema, told))
    return {
      kind: 'failed',
      message: truncateMessage(`The runner of ${kind} ended with ${quote(told)}, which is no outcome.`),
    };
  return 'message' in told
    ? { kind: told.kind, message: truncateMessage(told.message) }
    : { kind: told.kind };
}

/** Only what there is a place for, and no longer than it may be. */
function truncateOutput(
  { result, truncated, error, errorTrace }: TaskOutput,
  resultBytes: number,
): TaskOutput {
  const cut = result === undefined ? undefined : truncateUtf8(String(result), resultBytes);
  return {
    ...(cut !== undefined && { result: cut.text, truncated: cut.cut || truncated === true }),
    ...(error !== undefined && { error: truncateMessage(String(error)) }),
    ...(errorTrace !== undefined && { errorTrace: truncateUtf8(String(errorTrace), traceBytesMax).text }),
  };
}

/** A database keeps neither null characters nor halves of characters. */
function truncateMessage(message: string): string {
  return truncateUtf8(message.replaceAll('\0', '').toWellFormed(), messageBytesMax).text;
}
