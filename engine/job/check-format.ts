/** Validation of the format: single-task or multi-task, without fields of the other format (spec 2.2, 9). */
import { invalid } from '../errors.ts';
import { formatOf, singleTaskFields, type ApiVersion } from './job-format.ts';
import type { JobSettings, SubmitSettings } from './settings.ts';
import { taskKindsIn, type TaskKindInfo } from './task-kinds.ts';
import { isNonEmpty, quote } from '../validation/messages.ts';

/**
 * Refuses settings of no format or of both.
 * @param multiTaskOnly version that allows only multi-task settings; undefined when both formats are allowed
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkFormat(
  settings: JobSettings | SubmitSettings,
  multiTaskOnly: ApiVersion | undefined,
  kinds: readonly TaskKindInfo[],
): void {
  const given = new Map(Object.entries(settings));
  const single = taskKindsIn(settings)[0] ?? singleTaskFields.find((field) => isNonEmpty(given.get(field)));
  if (settings.tasks !== undefined) {
    if (single !== undefined)
      throw invalid(`${single} is a single-task field; with tasks given, it must be in an entry of tasks.`);
    if (settings.tasks.length === 0) throw invalid('tasks has 0 entries; at least one task is required.');
  } else {
    if (multiTaskOnly !== undefined) throw singleTaskFieldError(single, multiTaskOnly);
    if (isNonEmpty(given.get('job_clusters')) || isNonEmpty(given.get('job_cluster_key')))
      throw invalid('Shared job cluster feature is only supported in multi-task jobs.');
    if (taskKindsIn(settings).length === 0)
      throw invalid(
        `No task is given; one of ${kinds.map(({ name }) => name).join(', ')}, or tasks, is required.`,
      );
  }
  const format = formatOf(settings);
  if (settings.format !== undefined && settings.format !== format) {
    throw invalid(
      `format is ${quote(settings.format)}, but the settings are ${format}: they ${format === 'MULTI_TASK' ? 'have' : 'have no'} tasks.`,
    );
  }
}

function singleTaskFieldError(field: string | undefined, version: ApiVersion): Error {
  if (field === undefined)
    return invalid(
      `Missing required field: tasks. Version ${version} requires every job as a list of tasks.`,
    );
  return invalid(`${field} is a single-task field; version ${version} allows it only in an entry of tasks.`);
}
