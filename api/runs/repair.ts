/** POST jobs/runs/repair. */
import { Type } from 'typebox';
import { Id, stringList } from '../../engine/validation/scalars.ts';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { repairFields } from '../../engine/job/fields/request-fields.ts';
import { Queue } from '../../engine/job/settings.ts';
import { repairRun } from '../../engine/repair.ts';
import { pickRunParameters, runParameterFields } from '../../engine/run/parameters.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

const request = Type.Object({
  run_id: Type.Integer({ ...Id, description: 'Id of the run, which must have ended.' }),
  rerun_tasks: Type.Optional(
    stringList('Keys of the tasks to rerun, main for a single-task run. Excludes rerun_all_failed_tasks.'),
  ),
  rerun_all_failed_tasks: Type.Optional(
    Type.Boolean({ description: 'Whether all tasks that did not succeed are rerun. Default: false.' }),
  ),
  rerun_dependent_tasks: Type.Optional(
    Type.Boolean({ description: 'Whether tasks downstream of them are rerun, too. Default: false.' }),
  ),
  latest_repair_id: Type.Optional(
    Type.Integer({
      ...Id,
      description: 'Id of the latest repair of the run; required for a run with repairs.',
    }),
  ),
  use_original_settings: Type.Optional(
    Type.Boolean({
      description:
        'Whether the tasks keep the settings of the run. Default: false, they run with the current settings of the job.',
    }),
  ),
  queue: Type.Optional(Queue),
  ...runParameterFields,
});

/**
 * Reruns tasks of a run that has ended as new attempts inside the same run.
 * @throws ServiceError for an unknown or unsuitable run, an invalid selection of tasks, and a wrong
 * latest_repair_id
 */
export function repairRunOperation({ launching }: Pick<OperationPorts, 'launching'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/repair',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'run_id' },
    summary: 'Repair a run',
    description:
      'Reruns tasks of a run as new attempts inside the same run, with the current settings of the job, and returns immediately. All other tasks keep their result. Given parameters replace those of the run.',
    request,
    response: Type.Object({
      repair_id: Type.Integer({
        ...Id,
        description: 'Id of the repair; the latest_repair_id of the next one.',
      }),
    }),
    async handle({
      run_id: runId,
      rerun_tasks: tasks = [],
      rerun_all_failed_tasks: allFailed = false,
      rerun_dependent_tasks: dependents = false,
      latest_repair_id: latestRepairId = 0,
      use_original_settings: useOriginalSettings,
      queue,
      ...rest
    }) {
      checkSupported('', rest, repairFields);
      return {
        repair_id: await repairRun(launching, {
          runId,
          taskKeys: tasks,
          allFailed,
          includeDependents: dependents,
          latestRepairId,
          useOriginalSettings,
          queue: queue?.enabled,
          parameters: pickRunParameters(rest),
        }),
      };
    },
  });
}
