/** GET jobs/runs/get (spec 4.1 rule 7). */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { maskTexts } from '../../engine/run/masking.ts';
import { runAsOfAttempt, type Repair } from '../../engine/run/repair-rounds.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { attemptsOfTask, explainWithAttempts, withAttempts } from '../views/explanation-view.ts';
import { toRepairHistory } from '../views/repair-history.ts';
import { RunDocument } from '../views/run-document.ts';
import type { ViewContext } from '../views/run-view-fields.ts';
import { toRunView } from '../views/run-view.ts';
import { toTaskRunView } from '../views/task-run-view.ts';
import { apiVersions } from '../http/api-versions.ts';
import { collectResolvedValues } from './resolved-values.ts';
import { runNotFound } from '../../engine/errors.ts';

const request = Type.Object({
  run_id: Type.Integer({ ...Id, description: 'Id of the run, or of a task run.' }),
  include_resolved_values: Type.Optional(
    Type.Boolean({
      description: 'Whether tasks include their resolved parameters, in 2.1 and 2.2. Default: false.',
    }),
  ),
  include_history: Type.Optional(
    Type.Boolean({ description: 'Whether the run includes its repairs. Default: false.' }),
  ),
});

/**
 * Returns a run, or a task run by its own id (spec 4.1 rule 7).
 * @throws ServiceError for an unknown run
 */
export function getRunOperation({
  runs,
  outputs,
  workspaceInfo,
}: Pick<OperationPorts, 'runs' | 'outputs' | 'workspaceInfo'>): Operation {
  /** Resolved values with masked secrets: task values may contain them. */
  const collectMaskedValues = async (
    found: RunWithTasks,
    repairs: readonly Repair[],
  ): Promise<Map<number, object>> => {
    const [mask, values] = await Promise.all([
      runs.getMask(found.run),
      collectResolvedValues(found, repairs, outputs, workspaceInfo),
    ]);
    return new Map([...values].map(([id, value]) => [id, maskTexts(mask, value)]));
  };
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/get',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Get a run',
    description: 'Returns a run without its output. The id of a task run returns that task run.',
    request,
    response: RunDocument,
    async handle({ run_id: runId, include_resolved_values: resolve, include_history: history }, { version }) {
      const found = await runs.find(runId);
      if (found === undefined) throw runNotFound(runId);
      const repairs = await runs.listRepairs(found.run);
      const context: ViewContext = {
        version,
        workspaceInfo,
        repairs,
        ...(resolve === true && { resolvedValues: await collectMaskedValues(found, repairs) }),
      };
      if (found.run.runId === runId) {
        return {
          ...toRunView(found, context),
          ...(await explainWithAttempts(runs, found, context)),
          ...(history === true && { repair_history: toRepairHistory(found, repairs, context) }),
        };
      }
      const taskRun = found.tasks.find((task) => task.runId === runId);
      if (taskRun === undefined) throw runNotFound(runId);
      const attempts = attemptsOfTask(found.run, found.tasks, taskRun.taskKey, context);
      return {
        ...toTaskRunView(runAsOfAttempt(runId, found, repairs), taskRun, context),
        ...withAttempts(taskRun.progress.explanation, attempts),
      };
    },
  });
}
