/** Runners of the built-in task kinds, by kind. */
import { isRunnerKind, type RunnerKind } from '../engine/job/task-kinds.ts';
import type { BuiltInRunner } from './built-in-runner.ts';
import type { RunnerContext, RunnerPlugin, TaskOutcome } from './contract.ts';
import { jarRunner } from './jar/jar.ts';
import { notebookRunner } from './notebook/notebook.ts';
import { pipelineRunner } from './pipeline/pipeline.ts';
import { createWakeSignal } from './wake-signal.ts';
import { killMarkedProcesses } from './process/process-group.ts';
import { pythonRunner } from './python/python.ts';
import { submitRunner } from './submit/submit.ts';

/** The runner of every kind of the task-kind table that a runner executes. */
export const builtInRunners: { readonly [Kind in RunnerKind]: BuiltInRunner<Kind> } = {
  notebook_task: notebookRunner,
  spark_jar_task: jarRunner,
  spark_python_task: pythonRunner,
  spark_submit_task: submitRunner,
  pipeline_task: pipelineRunner,
};

/**
 * Runs one attempt of a task with the runner of its kind. A kind without a runner belonged to a plugin that
 * is no longer configured: the attempt fails, and processes that the plugin started are killed.
 */
export async function runTask(kind: string, task: unknown, context: RunnerContext): Promise<TaskOutcome> {
  if (isRunnerKind(kind)) {
    // The schema of the kind validated the body when the job was created.
    const runner: RunnerPlugin = builtInRunners[kind];
    return runner.run(task, context);
  }
  await killMarkedProcesses(context.directory, createWakeSignal());
  const message = `No configured plugin provides ${kind}; it was removed from RUNYARD_PLUGINS. Add the plugin again, or give the task another kind.`;
  await context.writeOutput({ error: message });
  return { kind: 'failed', message };
}
