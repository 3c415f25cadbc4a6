/** GET jobs/runs/get (spec 4.1 rule 7). */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { Id } from '../../engine/job/scalars.ts';
import { defineOperation, type Operation } from '../operation.ts';
import type { OperationPorts } from '../ports.ts';
import { RunDocument } from '../run-document.ts';
import { runView } from '../run-view.ts';
import { taskRunView } from '../task-run-view.ts';
import { apiVersions } from '../versions.ts';

/** Shows one run, or one task run by its own id. */
export function getRunOperation({ runs, site }: Pick<OperationPorts, 'runs' | 'site'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/get',
    versions: apiVersions,
    scope: 'jobs',
    summary: 'Get a run',
    description: 'A run with everything but its output. The id of a task run shows that task run.',
    request: Type.Object({ run_id: Type.Integer({ ...Id, description: 'The run, or a task run.' }) }),
    response: RunDocument,
    async handle({ run_id: runId }, { version }) {
      const found = await runs.find(runId);
      if (found === undefined) throw invalid(`Run ${runId} does not exist.`);
      if (found.run.runId === runId) return runView(found, { version, site });
      const taskRun = found.tasks.find((task) => task.runId === runId);
      if (taskRun === undefined) throw invalid(`Run ${runId} does not exist.`);
      return taskRunView(found, taskRun, { version, site });
    },
  });
}
