/** POST jobs/runs/repair: run failed tasks again, inside the same run. */
import { Type } from 'typebox';
import { Id, stringList } from '../../engine/validation/scalars.ts';
import { repairRun } from '../../engine/repair.ts';
import { runParameterFields } from '../../engine/run/parameters.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';

const request = Type.Object({
  run_id: Type.Integer({ ...Id, description: 'The run: of several tasks, and over.' }),
  rerun_tasks: Type.Optional(
    stringList('Keys of the tasks to run again. Not together with rerun_all_failed_tasks.'),
  ),
  rerun_all_failed_tasks: Type.Optional(
    Type.Boolean({ description: 'Runs every task again that did not succeed. Default: false.' }),
  ),
  rerun_dependent_tasks: Type.Optional(
    Type.Boolean({ description: 'Runs with them everything that depends on them. Default: false.' }),
  ),
  latest_repair_id: Type.Optional(
    Type.Integer({
      ...Id,
      description: 'Id of the latest repair of the run: required once it was repaired.',
    }),
  ),
  ...runParameterFields,
});

/** Opens a run again. */
export function repairRunOperation({ launching }: Pick<OperationPorts, 'launching'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/runs/repair',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'run_id' },
    summary: 'Repair a run',
    description:
      'Runs tasks of a run again, as new attempts inside the same run, and returns at once. All other tasks count as they ended. Parameters that are given replace those of the run.',
    request,
    response: Type.Object({
      repair_id: Type.Integer({ ...Id, description: 'Id of the repair: latest_repair_id of the next one.' }),
    }),
    async handle({
      run_id: runId,
      rerun_tasks: tasks = [],
      rerun_all_failed_tasks: allFailed = false,
      rerun_dependent_tasks: dependents = false,
      latest_repair_id: latestRepairId = 0,
      ...parameters
    }) {
      return {
        repair_id: await repairRun(launching, {
          runId,
          taskKeys: tasks,
          allFailed,
          includeDependents: dependents,
          latestRepairId,
          parameters,
        }),
      };
    },
  });
}
