/**
 * Rows of the field tables of the specification: accepted values with the values read back, and refused
 * values with the error message.
 */
import { expect } from 'vitest';
import { taskKinds } from '../../engine/job/task-kinds.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import type { TestService } from '../harness/test-service.ts';

export interface FieldRow {
  /** Name of the field in the specification. */
  readonly field: string;
  /**
   * Accepted settings, with the settings read back when they differ. A field with the value undefined is
   * omitted.
   */
  readonly accepts: readonly (object | readonly [sent: object, shown: object])[];
  /** Refused settings with the complete message; `<at>` stands for the path of the location. */
  readonly rejects: readonly (readonly [sent: object, message: string])[];
}

/** Location of the settings of a row in a job. */
export interface SettingsLocation {
  readonly version: '2.0' | '2.1';
  /** Path of the location in messages. */
  readonly path: string;
  readonly toJobSettings: (settings: object) => object;
  /** Returns the settings at this location from the settings that jobs/get returns. */
  readonly settingsFrom: (settings: ResponseBody) => ResponseBody;
}

export const newCluster = { num_workers: 1, spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2' };
export const pythonTask = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
/** Removes the task kind of the location, for rows with another kind. */
export const withoutTaskKind = { spark_python_task: undefined };
export const taskKindList = taskKinds.join(', ');
const defaultWorkload = { existing_cluster_id: 'all-purpose', ...pythonTask };

/** A single-task job. */
export const jobLocation: SettingsLocation = {
  version: '2.0',
  path: '',
  toJobSettings: (settings) => ({ name: 'contract', ...defaultWorkload, ...settings }),
  settingsFrom: (settings) => settings,
};

/** Task `a` of a multi-task job with the tasks `a` and `b` and a shared cluster. */
export const taskLocation: SettingsLocation = {
  version: '2.1',
  path: 'tasks[0].',
  toJobSettings: (settings) => ({
    name: 'contract',
    job_clusters: [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    tasks: [
      { task_key: 'a', ...defaultWorkload, ...settings },
      { task_key: 'b', ...defaultWorkload },
    ],
  }),
  settingsFrom: (settings) => settings.tasks[0],
};

/**
 * Creates a job for every accepted value of a row and reads it back, then checks the message of every refused
 * value and that no job was stored.
 */
export async function assertFieldRow(
  runyard: TestService,
  row: FieldRow,
  place: SettingsLocation,
): Promise<void> {
  for (const taken of row.accepts) {
    const [sent, shown]: readonly object[] = Array.isArray(taken) ? taken : [taken, taken];
    const { job_id } = await runyard.callOk(
      'POST',
      `${place.version}/jobs/create`,
      place.toJobSettings(sent ?? {}),
    );
    // 2.0 returns both formats as written.
    const found = place.settingsFrom((await runyard.callOk('GET', '2.0/jobs/get', { job_id })).settings);
    for (const [field, value] of Object.entries(shown ?? {}))
      expect(found[field], `${field} of ${JSON.stringify(sent)}`).toEqual(value);
  }
  const before = await countStoredJobs(runyard);
  for (const [sent, message] of row.rejects) {
    const answer = await runyard.call('POST', `${place.version}/jobs/create`, place.toJobSettings(sent));
    expect(answer, JSON.stringify(sent).slice(0, 500)).toEqual(
      errorResponse(message.replaceAll('<at>', place.path)),
    );
  }
  expect(await countStoredJobs(runyard)).toBe(before);
}

/** Returns the expected error response; a value of the wrong JSON type has its own error code. */
export function errorResponse(message: string): { status: number; body: object } {
  const error_code = message.startsWith('Could not parse request object')
    ? 'MALFORMED_REQUEST'
    : 'INVALID_PARAMETER_VALUE';
  return { status: 400, body: { error_code, message } };
}

async function countStoredJobs({ database: { db } }: TestService): Promise<number> {
  return (
    await db
      .selectFrom('jobs')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count;
}

/** Creates a list with `count` entries. */
export function repeat<Entry>(count: number, entry: (index: number) => Entry): Entry[] {
  return Array.from({ length: count }, (_, index) => entry(index));
}

export const notObject = (field: string) =>
  `Could not parse request object: Expected object for field <at>${field}, found STRING`;

export const notText = (field: string, found = 'NUMBER') =>
  `Could not parse request object: Expected string for field <at>${field}, found ${found}`;

export const notBoolean = (field: string) =>
  `Could not parse request object: Expected boolean for field <at>${field}, found STRING "maybe"`;

export const notList = (field: string) =>
  `Could not parse request object: Expected array for field <at>${field}, found STRING`;
