/** Valid settings for tests that change one field, and validation as in the service. */
import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { toValidationError } from '../../../../api/http/schema-errors.ts';
import { ServiceError } from '../../../../engine/errors.ts';
import { spellingsOf, type AliasedKey } from '../../../../engine/validation/aliases.ts';
import { checkSettings, checkSubmission } from '../../../../engine/job/check-settings.ts';
import type { ApiVersion } from '../../../../engine/job/job-format.ts';
import { JobSettings, SubmitSettings } from '../../../../engine/job/settings.ts';
import type { TaskKindInfo } from '../../../../engine/job/task-kinds.ts';
import { defaultLimits } from '../../../../engine/limits.ts';

export const newCluster = { num_workers: 1, spark_version: '15.4.x-scala2.12', node_type_id: 'small' };

/** Valid body of each task kind. */
export const taskBodies = {
  notebook_task: { notebook_path: '/Users/a/report', base_parameters: { day: '2026-11-20' } },
  spark_jar_task: { main_class_name: 'com.example.Main', parameters: ['a'] },
  spark_python_task: { python_file: 'managed_fs:/scripts/load.py', parameters: ['--day', '1'] },
  spark_submit_task: { parameters: ['--class', 'com.example.Main', 'managed_fs:/app.jar'] },
  pipeline_task: { pipeline_id: 'sales' },
  run_job_task: { job_id: 7 },
};

/** Returns the n-th alias of a canonical key. */
export function aliasOf(key: AliasedKey, nth = 1): string {
  return spellingsOf(key)[nth] ?? key;
}

/** Valid single-task job. */
export const singleTaskJob = {
  name: 'nightly',
  new_cluster: newCluster,
  notebook_task: taskBodies.notebook_task,
};

/** Returns a valid task of a multi-task job. */
export function sampleTask(task_key: string, ...depends: string[]) {
  return {
    task_key,
    new_cluster: newCluster,
    notebook_task: taskBodies.notebook_task,
    depends_on: depends.map((key) => ({ task_key: key })),
  };
}

/** Returns a valid multi-task job with additional fields. */
export function multiTaskJob(extra: object = {}) {
  return { name: 'graph', tasks: [sampleTask('a'), sampleTask('b', 'a')], ...extra };
}

const ajv = new Ajv({ coerceTypes: false, removeAdditional: false, allErrors: false, strict: false });

/** Validates a value as in the service; returns the error, or undefined. */
export function schemaErrorOf(schema: TSchema, value: unknown): ServiceError | undefined {
  const validate = ajv.compile(schema);
  return validate(value) ? undefined : toValidationError(validate.errors ?? [], value);
}

function errorMessageOf(check: () => void): string {
  try {
    check();
    return 'accepted';
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

/** Validates settings; returns the error message, or 'accepted'. */
export function settingsErrorOf(
  settings: unknown,
  version: ApiVersion = '2.0',
  kinds?: readonly TaskKindInfo[],
): string {
  const schemaError = schemaErrorOf(JobSettings, settings);
  // The schema was applied above, so the cast is safe.
  return (
    schemaError?.message ??
    errorMessageOf(() =>
      checkSettings(settings as JobSettings, { version, limits: defaultLimits, ...(kinds && { kinds }) }),
    )
  );
}

/** Validates a submission; returns the error message, or 'accepted'. */
export function submissionErrorOf(submission: unknown, version: ApiVersion = '2.0'): string {
  const schemaError = schemaErrorOf(SubmitSettings, submission);
  // The schema was applied above, so the cast is safe.
  return (
    schemaError?.message ??
    errorMessageOf(() => checkSubmission(submission as SubmitSettings, { version, limits: defaultLimits }))
  );
}
