/** POST jobs/update (spec 4.1 rule 3). */
import { Type } from 'typebox';
import { checkSettings } from '../../engine/job/check-settings.ts';
import { updateSettings } from '../../engine/job/merge-settings.ts';
import { Id, stringList } from '../../engine/validation/scalars.ts';
import { JobSettings } from '../../engine/job/settings.ts';
import { isNonEmpty } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { apiVersions } from '../http/api-versions.ts';
import { changeJobSettings, type ChangeJobPorts } from './change-job.ts';
import { checkReferences } from './check-references.ts';
import { checkChangedRunAs } from './check-run-as.ts';

const request = Type.Object({
  job_id: Type.Integer({ ...Id, description: 'Id of the job.' }),
  new_settings: Type.Optional(JobSettings),
  fields_to_remove: Type.Optional(
    stringList(
      'Top-level fields to remove first; list entries are named tasks/<task_key> and job_clusters/<job_cluster_key>.',
    ),
  ),
});

/**
 * Merges new settings into a job and removes fields (spec 4.1 rule 3).
 * @throws ServiceError for an unknown job, invalid merged settings, or unknown references
 */
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
      'Updates some settings of a job: removes fields_to_remove, then replaces each top-level field of new_settings completely;',
      'tasks and job_clusters are merged by key. A task kind or a cluster replaces another one. Changed timeouts apply to active runs, all other changes to future runs.',
    ].join(' '),
    request,
    response: Type.Object({}),
    async handle({ job_id: jobId, new_settings: changes = {}, fields_to_remove: removed = [] }, context) {
      const { version } = context;
      await checkReferences(ports, changes, context);
      await checkChangedRunAs(ports, changes.run_as, jobId);
      await changeJobSettings(
        ports,
        jobId,
        ({ settings }) => {
          if (!isNonEmpty(changes) && !isNonEmpty(removed)) return settings;
          const merged = updateSettings(settings, changes, removed, version);
          // A job that stays single-task has the format of 2.0 in every version.
          const isSingleTask = settings.tasks === undefined && merged.tasks === undefined;
          checkSettings(merged, { version: isSingleTask ? '2.0' : version, limits, kinds });
          return merged;
        },
        context,
      );
      return {};
    },
  });
}
