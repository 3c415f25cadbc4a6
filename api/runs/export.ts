/** GET jobs/runs/export (spec 2.10, 4.1 rule 8). */
import { Type } from 'typebox';
import { invalid, runNotFound } from '../../engine/errors.ts';
import { tasksOf } from '../../engine/job/job-format.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { builtInKindOf } from '../../engine/job/task-kinds.ts';
import type { NotebookTask } from '../../engine/job/task-schemas.ts';
import { notebookNameOf, type ExportedNotebook } from '../../engine/run/notebook-page/exported-notebook.ts';
import { truncateReport } from '../../engine/run/notebook-page/truncate-report.ts';
import { codePage, dashboardPage } from '../../engine/run/notebook-page/page.ts';
import { maskTexts } from '../../engine/run/masking.ts';
import { runAsOfAttempt } from '../../engine/run/repair-rounds.ts';
import { applyParameters } from '../../engine/run/parameters.ts';
import type { RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

type ExportPorts = Pick<OperationPorts, 'runs' | 'outputs' | 'notebooks' | 'limits'>;

const viewRenderers = { NOTEBOOK: codePage, DASHBOARD: dashboardPage } as const;

/** views_to_export -> types of the returned views. */
const viewTypesOf = {
  CODE: ['NOTEBOOK'],
  DASHBOARDS: ['DASHBOARD'],
  ALL: ['NOTEBOOK', 'DASHBOARD'],
} as const satisfies Record<string, readonly (keyof typeof viewRenderers)[]>;

const response = Type.Object({
  views: Type.Array(
    Type.Object({
      content: Type.String({ description: 'Self-contained HTML page without scripts.' }),
      name: Type.String({ description: 'Name of the notebook.' }),
      type: Type.Enum(['NOTEBOOK', 'DASHBOARD'], {
        description: 'NOTEBOOK: code and all outputs. DASHBOARD: visual outputs without code.',
      }),
    }),
  ),
});

/**
 * Exports a notebook run as HTML, including failed and active runs (spec 2.10, 4.1 rule 8).
 * @throws ServiceError for an unknown run, a multi-task run, and a task that is not a notebook
 */
export function exportRunOperation(ports: ExportPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/export',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Export a notebook run as HTML',
    description:
      'Returns the notebook of one task run with the outputs of all cells. For a multi-task run, use the id of a task run.',
    request: Type.Object({
      run_id: Type.Integer({ ...Id, description: 'Id of a single-task run, or of a task run.' }),
      views_to_export: Type.Optional(
        Type.Enum(['CODE', 'DASHBOARDS', 'ALL'], { description: 'Views to export. Default: CODE.' }),
      ),
    }),
    response,
    async handle({ run_id: runId, views_to_export: wanted = 'CODE' }, { version }) {
      const found = await ports.runs.find(runId);
      if (found === undefined) throw runNotFound(runId);
      const { run, tasks } = found;
      // 2.0 shows a single-task run without its attempts, so its id stands for the latest one.
      const isRun = run.runId === runId && run.format === 'SINGLE_TASK' && version === '2.0';
      const taskRunId = isRun ? (tasks.at(-1)?.runId ?? runId) : runId;
      const atAttempt = runAsOfAttempt(taskRunId, found, await ports.runs.listRepairs(run));
      const notebook = await buildNotebookExport(ports, atAttempt, taskRunId);
      const name = notebookNameOf(notebook);
      return {
        views: viewTypesOf[wanted].map((type) => ({ content: viewRenderers[type](notebook), name, type })),
      };
    },
  });
}

/**
 * Collects the notebook of a task run with masked secrets.
 * @throws ServiceError for an unknown run, a multi-task run, and a task that is not a notebook
 */
export async function buildNotebookExport(
  ports: ExportPorts,
  found: RunWithTasks,
  runId: number,
): Promise<ExportedNotebook> {
  return maskTexts(
    await ports.runs.getMask(found.run),
    await collectNotebook(ports, found, resolveNotebookRun(found, runId)),
  );
}

interface NotebookRun {
  readonly taskRun: TaskRun;
  /** Task with the parameters of the run applied. */
  readonly task: NotebookTask;
}

/** @throws ServiceError for a multi-task run, and for a task that is not a notebook */
function resolveNotebookRun({ run, tasks }: RunWithTasks, runId: number): NotebookRun {
  if (run.runId === runId && run.format === 'MULTI_TASK') {
    const ids = tasks
      .map((task) => `${task.runId} (${task.taskKey})`)
      .slice(0, 10)
      .join(', ');
    throw invalid(
      `Run ${runId} has several tasks, which are exported individually: use one of the task runs ${ids}.`,
    );
  }
  const taskRun = tasks.find((task) => task.runId === runId);
  if (taskRun === undefined) throw runNotFound(runId);
  const settings = tasksOf(run.settings).find((one) => one.task_key === taskRun.taskKey);
  if (settings === undefined || builtInKindOf(settings) !== 'notebook_task') {
    throw invalid(`Run ${runId} is not a notebook run; only notebook runs can be exported as HTML.`);
  }
  // The kind is checked above, and parameters do not change it.
  const task = applyParameters(settings, run.overridingParameters, run.settings.parameters) as NotebookTask;
  return { taskRun, task };
}

async function collectNotebook(
  { notebooks, outputs, limits }: ExportPorts,
  { run }: RunWithTasks,
  { taskRun, task }: NotebookRun,
): Promise<ExportedNotebook> {
  const { runId, taskKey, progress } = taskRun;
  const maximumBytes = limits.notebookExportBytes;
  const report = await notebooks.report(runId);
  const shown = report === undefined ? undefined : truncateReport(report, maximumBytes);
  const source =
    report === undefined || report.cells.length === 0
      ? await notebooks.source(runId, maximumBytes)
      : undefined;
  const failure =
    progress.result === 'SUCCESS' ? '' : ((await outputs.readOutput(runId))?.error ?? progress.message);
  return {
    runId,
    taskKey,
    progress,
    source,
    failure,
    jobName: run.name,
    path: task.notebook_path,
    parameters: report?.parameters ?? task.base_parameters ?? {},
    report: shown,
  };
}
