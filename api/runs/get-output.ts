/** GET jobs/runs/get-output (spec 4.1 rule 10, section 8). */
import { Type } from 'typebox';
import { invalid, runNotFound } from '../../engine/errors.ts';
import { tasksOf } from '../../engine/job/job-format.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { isBuiltIn, taskKindOf } from '../../engine/job/task-kinds.ts';
import type { TaskOutput } from '../../engine/run/task-output.ts';
import type { RunReader } from '../../engine/ports/run-reader.ts';
import { maskTexts } from '../../engine/run/masking.ts';
import { runAsOfAttempt } from '../../engine/run/repair-rounds.ts';
import type { Progress, RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { isTerminal } from '../../engine/run/states.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { RunDocument } from '../views/run-document.ts';
import { toTaskRunView } from '../views/task-run-view.ts';
import { apiVersions } from '../http/api-versions.ts';

/** Built-in kinds whose stdout and stderr are part of the output; so are those of every plugin's kind. */
const kindsWithLogs: ReadonlySet<string> = new Set([
  'spark_python_task',
  'spark_jar_task',
  'spark_submit_task',
]);

const response = Type.Object({
  metadata: RunDocument,
  notebook_output: Type.Optional(
    Type.Object(
      {
        result: Type.Optional(
          Type.String({
            description:
              'What the notebook gave to its exit call, first 1 MB; absent when it did not call it.',
          }),
        ),
        truncated: Type.Optional(Type.Boolean({ description: 'Whether result was cut.' })),
      },
      { description: 'Output of a notebook that succeeded.' },
    ),
  ),
  plugin_output: Type.Optional(
    Type.Object(
      {
        result: Type.Optional(
          Type.String({
            description: 'What the plugin wrote as the result, first 1 MB; absent when it wrote none.',
          }),
        ),
        truncated: Type.Optional(Type.Boolean({ description: 'Whether result was cut.' })),
      },
      { description: "Output of a task of a plugin's kind that succeeded." },
    ),
  ),
  run_job_output: Type.Optional(
    Type.Object(
      {
        run_id: Type.Integer({
          ...Id,
          description: 'The run that the task has started; of one that was retried the first.',
        }),
      },
      { description: 'Of a task that runs another job.' },
    ),
  ),
  error: Type.Optional(Type.String({ description: 'Why there is no output.' })),
  error_trace: Type.Optional(Type.String({ description: 'The trace behind the error.' })),
  logs: Type.Optional(
    Type.String({
      description:
        "stdout and stderr of a Python, JAR or submit task or one of a plugin's kind, in this order, first 5 MB.",
    }),
  ),
  logs_truncated: Type.Optional(Type.Boolean({ description: 'Whether logs was cut.' })),
});

/**
 * Shows what one task run gave back: its result, its error, its logs; for an active one what is there so far.
 */
export function getRunOutputOperation({
  runs,
  outputs,
  limits,
  workspaceInfo,
}: Pick<OperationPorts, 'runs' | 'outputs' | 'limits' | 'workspaceInfo'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/get-output',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Get the output of a run',
    description: 'Output of one task run. Of a multi-task run the id of a task run is needed.',
    request: Type.Object({
      run_id: Type.Integer({ ...Id, description: 'The run of a single task, or a task run.' }),
    }),
    response,
    async handle({ run_id: runId }, { version }) {
      const found = await runs.find(runId);
      const taskRun = findTaskRun(found, runId);
      if (found === undefined || taskRun === undefined) throw runNotFound(runId);
      const task = tasksOf(found.run.settings).find((one) => one.task_key === taskRun.taskKey);
      const kind = task === undefined ? undefined : taskKindOf(task);
      const mask = await runs.getMask(found.run);
      const view = { mask, isComplete: isTerminal(taskRun.progress.state) };
      return {
        metadata: toTaskRunView(runAsOfAttempt(runId, found, await runs.listRepairs(found.run)), taskRun, {
          version,
          workspaceInfo,
        }),
        ...toResultFields(kind, taskRun.progress, maskTexts(mask, await outputs.readOutput(runId))),
        ...(kind === 'run_job_task' ? await findLaunchedRun(runs, runId) : {}),
        ...(kind !== undefined && (kindsWithLogs.has(kind) || !isBuiltIn(kind))
          ? toLogFields(await outputs.logs(runId, limits.outputBytes, view))
          : {}),
      };
    },
  });
}

/** @throws ServiceError for the id of a run whose tasks have ids of their own */
function findTaskRun(found: RunWithTasks | undefined, runId: number): TaskRun | undefined {
  if (found?.run.runId === runId && found.run.format === 'MULTI_TASK') {
    throw invalid(
      'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
    );
  }
  return found?.tasks.find((task) => task.runId === runId);
}

/** The result of a success, or why there is none; nothing while the task run is active. */
function toResultFields(kind: string | undefined, progress: Progress, output: TaskOutput = {}): object {
  if (!isTerminal(progress.state)) return {};
  if (progress.result !== 'SUCCESS') {
    const error = output.error ?? progress.message;
    return { error: error === '' ? undefined : error, error_trace: output.errorTrace };
  }
  const { result, truncated = false } = output;
  const shown = result === undefined ? {} : { result, truncated };
  if (kind === 'notebook_task') return { notebook_output: shown };
  return kind === undefined || isBuiltIn(kind) ? {} : { plugin_output: shown };
}

async function findLaunchedRun(runs: RunReader, taskRunId: number): Promise<object> {
  const started = await runs.findLaunchedRun(taskRunId);
  return started === undefined ? {} : { run_job_output: { run_id: started.runId } };
}

function toLogFields({ text, truncated }: { readonly text: string; readonly truncated: boolean }): object {
  return { logs: text, logs_truncated: truncated };
}
