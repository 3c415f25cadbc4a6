/** The task kinds that can be run, by the settings field that holds them. */
import { isBuiltIn } from '../engine/job/task-kinds.ts';
import { createWakeSignal } from './pool/wake-signal.ts';
import type { TaskOutcome, RunnerContext } from './contract.ts';
import { killMarkedProcesses } from './process/process-group.ts';
import { plugin as jar } from './jar/jar.ts';
import { plugin as notebook } from './notebook/notebook.ts';
import { plugin as pipeline } from './pipeline/pipeline.ts';
import { plugin as python } from './python/python.ts';
import { plugin as submit } from './submit/submit.ts';

type KindRunner = (task: unknown, context: RunnerContext) => Promise<TaskOutcome>;

// Each plugin checks its own shape: a task of its kind was validated by its schema when the job was created.
const runnersByKind: Readonly<Record<string, KindRunner>> = {
  [notebook.kind]: (task, context) => notebook.run(task as Parameters<typeof notebook.run>[0], context),
  [python.kind]: (task, context) => python.run(task as Parameters<typeof python.run>[0], context),
  [pipeline.kind]: (task, context) => pipeline.run(task as Parameters<typeof pipeline.run>[0], context),
  [jar.kind]: (task, context) => jar.run(task as Parameters<typeof jar.run>[0], context),
  [submit.kind]: (task, context) => submit.run(task as Parameters<typeof submit.run>[0], context),
};

/** The kinds that this version can run. */
export const runnableKinds: readonly string[] = Object.keys(runnersByKind);

/** Runs one attempt of a task with the runner of its kind. */
export async function runTask(kind: string, task: unknown, context: RunnerContext): Promise<TaskOutcome> {
  const run = runnersByKind[kind];
  if (run !== undefined) return run(task, context);
  const message = isBuiltIn(kind)
    ? `This version of Runyard keeps ${kind} but cannot run it; it runs ${runnableKinds.join(', ')}.`
    : `No plugin of this service brings ${kind}: the one that did is gone from RUNYARD_PLUGINS. Name it there again, or give the task another kind.`;
  // It may have been started when there still was a plugin for it.
  await killMarkedProcesses(context.directory, createWakeSignal());
  await context.writeOutput({ error: message });
  return { kind: 'failed', message };
}
