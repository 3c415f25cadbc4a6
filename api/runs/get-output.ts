/** GET jobs/runs/get-output (spec 4.1 rule 10, section 8). */
import { Type } from 'typebox';
import { invalid, runNotFound } from '../../engine/errors.ts';
import { tasksOf, type ApiVersion } from '../../engine/job/job-format.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { isBuiltIn, taskKindOf, taskKindTable } from '../../engine/job/task-kinds.ts';
import { ExplanationSchema } from '../../engine/run/explain/explanation.ts';
import type { TaskOutput } from '../../engine/run/task-output.ts';
import type { RunReader } from '../../engine/ports/run-reader.ts';
import { maskTexts } from '../../engine/run/masking.ts';
import { runAsOfAttempt } from '../../engine/run/repair-rounds.ts';
import type { Progress, RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { isTerminal } from '../../engine/run/states.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { RunDocument } from '../views/run-document.ts';
import { toOutputMetadata } from '../views/run-view.ts';
import { SparkProgressDocument, toSparkProgressView } from '../views/spark-view.ts';
import { apiVersions } from '../http/api-versions.ts';

const response = Type.Object({
  metadata: RunDocument,
  notebook_output: Type.Optional(
    Type.Object(
      {
        result: Type.Optional(
          Type.String({
            description: 'Argument of the exit call of the notebook, first 1 MB; absent without such a call.',
          }),
        ),
        truncated: Type.Optional(Type.Boolean({ description: 'Whether result was truncated.' })),
      },
      { description: 'Output of a successful notebook task.' },
    ),
  ),
  plugin_output: Type.Optional(
    Type.Object(
      {
        result: Type.Optional(
          Type.String({ description: 'Result of the plugin, first 1 MB; absent without a result.' }),
        ),
        truncated: Type.Optional(Type.Boolean({ description: 'Whether result was truncated.' })),
      },
      { description: 'Output of a successful task of a plugin kind.' },
    ),
  ),
  run_job_output: Type.Optional(
    Type.Object(
      {
        run_id: Type.Integer({
          ...Id,
          description: 'Id of the run that the task started; for a retried run, the first one.',
        }),
      },
      { description: 'Output of a run_job_task.' },
    ),
  ),
  error: Type.Optional(Type.String({ description: 'Error of a failed task run.' })),
  error_trace: Type.Optional(Type.String({ description: 'Stack trace of the error.' })),
  explanation: Type.Optional(ExplanationSchema),
  spark_progress: Type.Optional(SparkProgressDocument),
  logs: Type.Optional(
    Type.String({
      description: 'stdout followed by stderr of Python, JAR, spark-submit and plugin tasks, first 5 MB.',
    }),
  ),
  logs_truncated: Type.Optional(Type.Boolean({ description: 'Whether logs was truncated.' })),
});

/**
 * Returns result, error and logs of one task run; partial output while it is active (spec 4.1 rule 10,
 * section 8).
 * @throws ServiceError for an unknown run and for a multi-task run
 */
export function getRunOutputOperation({
  runs,
  outputs,
  limits,
  workspaceInfo,
  sparkApplications,
}: Pick<OperationPorts, 'runs' | 'outputs' | 'limits' | 'workspaceInfo' | 'sparkApplications'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/get-output',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Get the output of a run',
    description: 'Returns the output of one task run. For a multi-task run, use the id of a task run.',
    request: Type.Object({
      run_id: Type.Integer({ ...Id, description: 'Id of a single-task run, or of a task run.' }),
    }),
    response,
    async handle({ run_id: runId }, { version }) {
      const found = await runs.find(runId);
      const taskRun = findTaskRun(found, runId, version);
      if (found === undefined || taskRun === undefined) throw runNotFound(runId);
      const repairs = await runs.listRepairs(found.run);
      const { settings } = runAsOfAttempt(taskRun.runId, found, repairs).run;
      const task = tasksOf(settings).find((one) => one.task_key === taskRun.taskKey);
      const kind = task === undefined ? undefined : taskKindOf(task);
      const mask = await runs.getMask(found.run);
      const view = { mask, isComplete: isTerminal(taskRun.progress.state) };
      const progress = await sparkApplications.findProgress(taskRun.runId);
      return {
        metadata: toOutputMetadata(found, taskRun, { version, workspaceInfo, repairs }),
        ...toResultFields(kind, taskRun.progress, maskTexts(mask, await outputs.readOutput(taskRun.runId))),
        ...(progress && { spark_progress: maskTexts(mask, toSparkProgressView(progress)) }),
        ...(kind === 'run_job_task' ? await findLaunchedRun(runs, taskRun.runId) : {}),
        ...(kind !== undefined && hasLogs(kind)
          ? toLogFields(await outputs.logs(taskRun.runId, limits.outputBytes, view))
          : {}),
      };
    },
  });
}

/**
 * Returns the task run of an id. 2.0 shows a single-task run without its attempts, so its id stands for the
 * latest one.
 * @throws ServiceError for the id of a multi-task run
 */
function findTaskRun(
  found: RunWithTasks | undefined,
  runId: number,
  version: ApiVersion,
): TaskRun | undefined {
  if (found?.run.runId === runId && found.run.format === 'MULTI_TASK') {
    throw invalid(
      'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
    );
  }
  if (found?.run.runId === runId && version === '2.0') return found.tasks.at(-1);
  return found?.tasks.find((task) => task.runId === runId);
}

/** Returns the result of a success or the error of a failure; empty while the task run is active. */
function toResultFields(kind: string | undefined, progress: Progress, output: TaskOutput = {}): object {
  if (!isTerminal(progress.state)) return {};
  if (progress.result !== 'SUCCESS') {
    const error = output.error ?? progress.message;
    return {
      error: error === '' ? undefined : error,
      error_trace: output.errorTrace,
      explanation: progress.explanation,
    };
  }
  const { result, truncated = false } = output;
  const shown = result === undefined ? {} : { result, truncated };
  if (kind === undefined) return {};
  if (!isBuiltIn(kind)) return { plugin_output: shown };
  return taskKindTable[kind].isNotebook ? { notebook_output: shown } : {};
}

/** Tells whether stdout and stderr are part of the output; those of every plugin's kind are. */
function hasLogs(kind: string): boolean {
  return !isBuiltIn(kind) || taskKindTable[kind].hasLogs;
}

async function findLaunchedRun(runs: RunReader, taskRunId: number): Promise<object> {
  const started = await runs.findLaunchedRun(taskRunId);
  return started === undefined ? {} : { run_job_output: { run_id: started.runId } };
}

function toLogFields({ text, truncated }: { readonly text: string; readonly truncated: boolean }): object {
  return { logs: text, logs_truncated: truncated };
}
