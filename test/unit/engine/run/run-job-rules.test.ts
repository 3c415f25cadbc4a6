/** Parameters of a run_job_task (spec 2.7): they become the parameters of the run that it starts. */
import { expect, test } from 'vitest';
import { childParametersOf } from '../../../../engine/run/run-job-rules.ts';

test.each<[string, object]>([
  ['values of job parameters', { job_parameters: { city: 'Oslo' } }],
  ['JAR parameters', { jar_params: ['a'] }],
  ['notebook parameters', { notebook_params: { a: 'b' } }],
  ['Python parameters', { python_params: ['a'] }],
  ['submit parameters', { spark_submit_params: ['managed_fs:/a.jar'] }],
  ['pipeline parameters', { pipeline_params: { full_refresh: true } }],
])('a run_job_task passes %s to its run', (_name, parameters) => {
  expect(childParametersOf({ job_id: 7, ...parameters, unknown: 1 })).toEqual(parameters);
});
