/** Runs attempts of a plugin in its threads. Exceptions and invalid results become outcomes. */
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

/** An attempt, and the module of its plugin as a file URL. */
export interface PluginAttemptRequest extends AttemptRequest {
  readonly module: string;
}

/** Maximum size of a state message. */
const messageBytesMax = 2_000;
const traceBytesMax = 2 ** 20;

const OutcomeSchema = Type.Union([
  Type.Object({ kind: Type.Literal('succeeded') }),
  Type.Object({ kind: Type.Literal('stopped') }),
  Type.Object({ kind: Type.Literal('failed'), message: Type.String() }),
  Type.Object({ kind: Type.Literal('lost'), message: Type.String() }),
]);

/** Runs one attempt. Never throws; only a plugin that ends the thread prevents an outcome. */
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
      // The task ends here, so its remaining processes must not continue.
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

function parseOutcome(kind: string, outcome: unknown): TaskOutcome {
  if (!Check(OutcomeSchema, outcome))
    return {
      kind: 'failed',
      message: truncateMessage(`The runner of ${kind} returned ${quote(outcome)}, which is not an outcome.`),
    };
  return 'message' in outcome
    ? { kind: outcome.kind, message: truncateMessage(outcome.message) }
    : { kind: outcome.kind };
}

/** Keeps the known fields and truncates them to their limits. */
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

/** Truncates a message and removes characters that PostgreSQL cannot store. */
function truncateMessage(message: string): string {
  return truncateUtf8(message.replaceAll('\0', '').toWellFormed(), messageBytesMax).text;
}
