/** POST jobs/run-now-batch: many runs of one job in one request. */
import { Type } from 'typebox';
import { messageOf, ServiceError } from '../../engine/errors.ts';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { runNowFields } from '../../engine/job/fields/request-fields.ts';
import { Queue } from '../../engine/job/settings.ts';
import { launchRun } from '../../engine/launch.ts';
import { fixedLimits } from '../../engine/limits.ts';
import { pickRunParameters, runParameterFields } from '../../engine/run/parameters.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { checkExistingClusters } from '../clusters/cluster-references.ts';
import { apiVersions } from '../http/api-versions.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'Id of the job.' }),
  runs: Type.Array(
    Type.Object({
      idempotency_token: Type.Optional(
        Type.String({
          description:
            'At most 64 characters. A token that already started a run of this job returns that run.',
        }),
      ),
      ...runParameterFields,
      queue: Type.Optional(Queue),
    }),
    {
      minItems: 1,
      maxItems: fixedLimits.runsPerLaunchRequest,
      description: 'The runs; each as for `jobs/run-now`.',
    },
  ),
});

const launched = Type.Object({
  run_id: Type.Optional(Type.Integer({ ...Id, description: 'Id of the run.' })),
  number_in_job: Type.Optional(
    Type.Integer({ ...Id, description: 'Number of the run within its job, from 1.' }),
  ),
  error_code: Type.Optional(Type.String({ description: 'Set instead of the ids when the run was refused.' })),
  message: Type.Optional(Type.String({ description: 'Reason of the refusal.' })),
});

/** Launches under way at the same time: enough to share commits, few enough to share the database. */
const width = 100;

/**
 * Starts many runs of a job. Each is admitted or refused as by `jobs/run-now`; one that is refused does not stop the
 * others.
 * @throws ServiceError for unknown clusters of the job
 */
export function runNowBatchOperation({
  launching,
  jobs,
  clusterRules,
}: Pick<OperationPorts, 'launching' | 'jobs' | 'clusterRules'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/jobs/run-now-batch',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE_RUN', idField: 'job_id' },
    summary: 'Run a job many times',
    description:
      'Starts up to 1,000 runs of a job and returns when all are accepted or refused. The result lists them in the order of the request; a run that is refused has `error_code` and `message` in place of its ids.',
    request,
    response: Type.Object({ runs: Type.Array(launched, { description: 'One entry per run.' }) }),
    async handle({ job_id: jobId, runs }, { caller }) {
      const job = clusterRules.requireExisting ? await jobs.find(jobId) : undefined;
      if (job !== undefined)
        await checkExistingClusters(clusterRules, job.settings, { visibleTo: undefined });
      const launch = async (
        { idempotency_token: idempotencyToken, queue, ...rest }: (typeof runs)[number],
        path: string,
      ) => {
        checkSupported(path, rest, runNowFields);
        const { runId, numberInJob } = await launchRun(launching, {
          jobId,
          parameters: pickRunParameters(rest),
          idempotencyToken,
          creator: caller.userName,
          queue: queue?.enabled,
        });
        return { run_id: runId, number_in_job: numberInJob };
      };
      const results = [];
      for (let start = 0; start < runs.length; start += width)
        results.push(
          ...(await Promise.all(
            runs
              .slice(start, start + width)
              .map((run, index) => launch(run, `runs[${start + index}]`).catch(toRefusal)),
          )),
        );
      return { runs: results };
    },
  });
}

/** @throws an error that is no refusal of this run alone */
function toRefusal(error: unknown): { error_code: string; message: string } {
  if (!(error instanceof ServiceError)) throw error;
  return { error_code: error.code, message: messageOf(error) };
}
