/**
 * Rows of the spec's tables of fields: what a field takes and how it is read back, and what it refuses, in
 * which words.
 */
import { expect } from 'vitest';
import { taskKinds } from '../../engine/job/task-kinds.ts';
import type { Answer } from '../harness/client.ts';
import type { TestService } from '../harness/service.ts';

export interface FieldRow {
  /** As the table of the spec calls it. */
  readonly field: string;
  /**
   * Settings that are taken, and how they are read back where that differs. A field set to undefined is left
   * out.
   */
  readonly takes: readonly (object | readonly [sent: object, shown: object])[];
  /** Settings that are refused, with the whole message, in which `<at>` is the path of the place. */
  readonly refuses: readonly (readonly [sent: object, message: string])[];
}

/** Where the settings of a row stand in a job. */
export interface Place {
  readonly version: '2.0' | '2.1';
  /** What messages call it. */
  readonly path: string;
  readonly jobWith: (settings: object) => object;
  /** The same place in the settings that jobs/get shows. */
  readonly shownIn: (settings: Answer) => Answer;
}

export const newCluster = { num_workers: 1, spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2' };
export const python = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
/** The kind of work of a task left out, for rows that bring another. */
export const noKind = { spark_python_task: undefined };
export const kinds = taskKinds.join(', ');
const work = { existing_cluster_id: 'all-purpose', ...python };

/** A single-task job. */
export const inJob: Place = {
  version: '2.0',
  path: '',
  jobWith: (settings) => ({ name: 'contract', ...work, ...settings }),
  shownIn: (settings) => settings,
};

/** The first of two tasks of a multi-task job, `a` and `b`, beside a shared cluster. */
export const inTask: Place = {
  version: '2.1',
  path: 'tasks[0].',
  jobWith: (settings) => ({
    name: 'contract',
    job_clusters: [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    tasks: [
      { task_key: 'a', ...work, ...settings },
      { task_key: 'b', ...work },
    ],
  }),
  shownIn: (settings) => settings.tasks[0],
};

/**
 * Sends what a row takes and reads it back, then what it refuses: each refusal in its words, and nothing is
 * stored by it.
 */
export async function expectRow(runyard: TestService, row: FieldRow, place: Place): Promise<void> {
  for (const taken of row.takes) {
    const [sent, shown]: readonly object[] = Array.isArray(taken) ? taken : [taken, taken];
    const { job_id } = await runyard.ok('POST', `${place.version}/jobs/create`, place.jobWith(sent ?? {}));
    // 2.0 shows both formats as they were written.
    const found = place.shownIn((await runyard.ok('GET', '2.0/jobs/get', { job_id })).settings);
    for (const [field, value] of Object.entries(shown ?? {}))
      expect(found[field], `${field} of ${JSON.stringify(sent)}`).toEqual(value);
  }
  const before = await storedJobs(runyard);
  for (const [sent, message] of row.refuses) {
    const answer = await runyard.call('POST', `${place.version}/jobs/create`, place.jobWith(sent));
    expect(answer, JSON.stringify(sent).slice(0, 500)).toEqual(
      refusal(message.replaceAll('<at>', place.path)),
    );
  }
  expect(await storedJobs(runyard)).toBe(before);
}

/** The answer that refuses with this message: a value of the wrong JSON type has a code of its own. */
export function refusal(message: string): { status: number; body: object } {
  const error_code = message.startsWith('Could not parse request object')
    ? 'MALFORMED_REQUEST'
    : 'INVALID_PARAMETER_VALUE';
  return { status: 400, body: { error_code, message } };
}

async function storedJobs({ database: { db } }: TestService): Promise<number> {
  return (
    await db
      .selectFrom('jobs')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count;
}

/** As many entries as asked for. */
export function times<Entry>(count: number, entry: (index: number) => Entry): Entry[] {
  return Array.from({ length: count }, (_, index) => entry(index));
}
