/** POST jobs/update (spec 4.1 rule 3). */
import { Type } from 'typebox';
import { checkSettings } from '../../engine/job/check-settings.ts';
import { toMultiTask } from '../../engine/job/job-format.ts';
import { mergeSettings } from '../../engine/job/merge-settings.ts';
import { Id, stringList } from '../../engine/validation/scalars.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { isNonEmpty } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { apiVersions } from '../http/api-versions.ts';
import { changeJobSettings, type ChangeJobPorts } from './change-job.ts';
import { checkReferences } from './check-references.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'The job.' }),
  new_settings: Type.Optional(JobSettings),
  fields_to_remove: Type.Optional(
    stringList(
      'Top-level fields to remove first; entries of lists as tasks/<task_key> and job_clusters/<job_cluster_key>.',
    ),
  ),
});

/** Changes some settings of a job. */
export function updateJobOperation(ports: ChangeJobPorts): Operation {
  const { limits, kinds } = ports;
  return defineOperation({
    method: 'POST',
    path: '/jobs/update',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_MANAGE', idField: 'job_id' },
    summary: 'Update a job',
    description: [
      'Changes some settings of a job: fields_to_remove are removed, then the fields of new_settings replace those of the job as a whole;',
      'tasks and job_clusters are merged by key. Timeouts reach its active runs; everything else applies to future runs.',
    ].join(' '),
    request,
    response: Type.Object({}),
    async handle({ job_id: jobId, new_settings: given = {}, fields_to_remove: removed }, context) {
      const { version } = context;
      await checkReferences(ports, given);
      await changeJobSettings(
        ports,
        jobId,
        ({ settings }) => {
          if (!isNonEmpty(given) && !isNonEmpty(removed)) return settings;
          // In 2.1 and 2.2 whoever calls has only ever seen the job as a list of tasks.
          const merged = mergeSettings(version === '2.0' ? settings : toMultiTask(settings), given, removed);
          checkSettings(merged, { version, limits, kinds });
          return merged;
        },
        context,
      );
      return {};
    },
  });
}
