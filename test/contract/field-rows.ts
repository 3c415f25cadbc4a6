/**
 * Rows of the spec's tables of fields: what a field takes and how it is read back, and what it refuses, in
 * which words.
 */
import { expect } from 'vitest';
import { taskKinds } from '../../engine/job/task-kinds.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import type { TestService } from '../harness/test-service.ts';

export interface FieldRow {
  /** As the table of the spec calls it. */
  readonly field: string;
  /**
   * Settings that are taken, and how they are read back where that differs. A field set to undefined is left
   * out.
   */
  readonly accepts: readonly (object | readonly [sent: object, shown: object])[];
  /** Settings that are refused, with the whole message, in which `<at>` is the path of the place. */
  readonly rejects: readonly (readonly [sent: object, message: string])[];
}

/** Where the settings of a row stand in a job. */
export interface SettingsLocation {
  readonly version: '2.0' | '2.1';
  /** What messages call it. */
  readonly path: string;
  readonly toJobSettings: (settings: object) => object;
  /** The same place in the settings that jobs/get shows. */
  readonly settingsFrom: (settings: ResponseBody) => ResponseBody;
}

export const newCluster = { num_workers: 1, spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2' };
export const pythonTask = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
/** The kind of work of a task left out, for rows that bring another. */
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

/** The first of two tasks of a multi-task job, `a` and `b`, beside a shared cluster. */
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
 * Sends what a row takes and reads it back, then what it refuses: each refusal in its words, and nothing is
 * stored by it.
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
    // 2.0 shows both formats as they were written.
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

/** The answer that refuses with this message: a value of the wrong JSON type has a code of its own. */
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

/** As many entries as asked for. */
export function repeat<Entry>(count: number, entry: (index: number) => Entry): Entry[] {
  return Array.from({ length: count }, (_, index) => entry(index));
}

export const notObject = (field: string) =>
  `Could not parse request object: Expected object for field <at>${field}, found STRING`;

export const notText = (field: string) =>
  `Could not parse request object: Expected string for field <at>${field}, found NUMBER`;

export const notBoolean = (field: string) =>
  `Could not parse request object: Expected boolean for field <at>${field}, found STRING "maybe"`;

export const notList = (field: string) =>
  `Could not parse request object: Expected array for field <at>${field}, found STRING`;
