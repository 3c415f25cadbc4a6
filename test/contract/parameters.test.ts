/** Run parameters, trigger, notebook output and exported views (spec 2.10). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { newCluster, errorResponse } from './field-rows.ts';

let runyard: TestService;
/**
 * Job with all four task kinds that have parameters, and job with only a pipeline. Their runs are skipped but
 * keep their parameters.
 */
let every: number;
let pipeline: number;
beforeAll(async () => {
  runyard = await startTestService();
  const on = { existing_cluster_id: 'c' };
  const create = async (tasks: readonly object[]): Promise<number> =>
    (
      await runyard.callOk('POST', '2.1/jobs/create', {
        max_concurrent_runs: 0,
        tasks: tasks.map((task, index) => ({ task_key: `t${index}`, ...task })),
      })
    ).job_id;
  every = await create([
    { ...on, notebook_task: { notebook_path: '/nb' } },
    { ...on, spark_jar_task: { main_class_name: 'Main' } },
    { ...on, spark_python_task: { python_file: 'managed_fs:/x.py' } },
    { new_cluster: newCluster, spark_submit_task: {} },
  ]);
  pipeline = await create([{ pipeline_task: { pipeline_id: 'p' } }]);
});
afterAll(() => runyard.stop());

/** Creates 10,000 bytes of JSON plus `more` bytes. */
const longList = (more = 0) => ['x'.repeat(9_996 + more)];
const longMap = (more = 0) => ({ a: 'x'.repeat(9_992 + more) });
const notList = (field: string) =>
  `Could not parse request object: Expected array for field ${field}, found STRING`;
const ascii = 'only ASCII characters are allowed.';

interface ParameterRow {
  readonly field: string;
  readonly accepts: readonly unknown[];
  readonly rejects: readonly (readonly [given: object, message: string])[];
  /** Task kind that the parameter belongs to. */
  readonly kind: string;
}

const rows: readonly ParameterRow[] = [
  {
    field: 'jar_params',
    kind: 'spark_jar_task',
    accepts: [['a', 'ünï'], longList()],
    rejects: [
      [{ jar_params: 'a' }, notList('jar_params')],
      [{ jar_params: longList(1) }, 'jar_params is 10001 bytes of JSON; at most 10000 are allowed.'],
      [
        { jar_params: ['a'], notebook_params: { a: '1' } },
        'jar_params and notebook_params are given; only the parameters of one task kind are allowed.',
      ],
    ],
  },
  {
    field: 'notebook_params',
    kind: 'notebook_task',
    accepts: [{ day: 'monday' }, longMap()],
    rejects: [
      [
        { notebook_params: ['a'] },
        'Could not parse request object: Expected object for field notebook_params, found ARRAY',
      ],
      [
        { notebook_params: { a: 1 } },
        'Could not parse request object: Expected string for field notebook_params.a, found NUMBER',
      ],
      [{ notebook_params: longMap(1) }, 'notebook_params is 10001 bytes of JSON; at most 10000 are allowed.'],
      [{ notebook_params: { a: 'ü' } }, `notebook_params.a is "ü"; ${ascii}`],
      [{ notebook_params: { ü: 'a' } }, `notebook_params has the name "ü"; ${ascii}`],
    ],
  },
  {
    field: 'python_params',
    kind: 'spark_python_task',
    accepts: [['--day', '1'], longList()],
    rejects: [
      [{ python_params: 'a' }, notList('python_params')],
      [{ python_params: longList(1) }, 'python_params is 10001 bytes of JSON; at most 10000 are allowed.'],
      [{ python_params: ['a', 'ü'] }, `python_params[1] is "ü"; ${ascii}`],
      [
        { python_params: ['a'], notebook_params: { a: '1' } },
        'notebook_params and python_params are given; only the parameters of one task kind are allowed.',
      ],
    ],
  },
  {
    field: 'spark_submit_params',
    kind: 'spark_submit_task',
    accepts: [['--class', 'Main', 'app.jar'], longList()],
    rejects: [
      [{ spark_submit_params: 'a' }, notList('spark_submit_params')],
      [
        { spark_submit_params: longList(1) },
        'spark_submit_params is 10001 bytes of JSON; at most 10000 are allowed.',
      ],
      [{ spark_submit_params: ['ü'] }, `spark_submit_params[0] is "ü"; ${ascii}`],
      [
        { spark_submit_params: ['--master', 'x'] },
        'spark_submit_params[0] is --master; it is set by the service and must not be given.',
      ],
    ],
  },
];

describe.each(rows)('spec 2.10 $field', ({ field, accepts, rejects, kind }) => {
  test('is accepted and returned as overriding_parameters', async () => {
    for (const value of accepts) {
      const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id: every, [field]: value });
      expect((await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id })).overriding_parameters).toEqual({
        [field]: value,
      });
    }
  });

  test('is refused when invalid or without a task of its kind, and no run is started', async () => {
    const started = async () => (await runyard.callOk('GET', '2.0/jobs/runs/list', { limit: 0 })).runs.length;
    const before = await started();
    for (const [given, message] of rejects)
      expect(await runyard.call('POST', '2.0/jobs/run-now', { job_id: every, ...given })).toEqual(
        errorResponse(message),
      );
    const value = field === 'notebook_params' ? { a: '1' } : ['a'];
    expect(await runyard.call('POST', '2.0/jobs/run-now', { job_id: pipeline, [field]: value })).toEqual(
      errorResponse(`${field} is given, but the job has no ${kind}.`),
    );
    expect(await started()).toBe(before);
  });

  test('counts as absent when empty', async () => {
    expect(
      (
        await runyard.call('POST', '2.0/jobs/run-now', {
          job_id: pipeline,
          [field]: field === 'notebook_params' ? {} : [],
        })
      ).status,
    ).toBe(200);
  });
});

describe('spec 2.10 python_params', () => {
  test('spec 2.10: python_params replace the parameters of the job', async () => {
    await runyard.putFile('/args.py', 'import sys\nprint(sys.argv[1:])\n');
    const settings = {
      existing_cluster_id: 'c',
      spark_python_task: { python_file: 'managed_fs:/args.py', parameters: ['of', 'Zürich'] },
    };
    const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
      ...settings,
      max_concurrent_runs: 9,
    });
    const logs = await Promise.all(
      [{ python_params: ['of run'] }, { python_params: [] }, {}].map(async (given) => {
        const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id, ...given });
        await runyard.waitForRunEnd(run_id);
        return (await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id })).logs;
      }),
    );
    expect(logs).toEqual(["['of run']\n", "['of', 'Zürich']\n", "['of', 'Zürich']\n"]);
  });
});

test('spec 2.10 TriggerType of run-now and submit is ONE_TIME', async () => {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id: every });
  expect((await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id })).trigger).toBe('ONE_TIME');
});

describe('spec 2.10: output of a notebook', () => {
  const view = {
    content: expect.stringMatching(/^<!doctype html>/i),
    name: 'left',
    type: expect.any(String),
  };
  async function ran(cells: readonly string[]): Promise<number> {
    const path = '/team/left';
    await runyard.putNotebook(path, cells);
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: path },
    });
    await runyard.waitForRunEnd(run_id);
    return run_id;
  }
  const outputOf = async (run_id: number): Promise<ResponseBody> =>
    (await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id })).notebook_output;

  test('spec 2.10 NotebookOutput.result is the argument of exit, or absent without a call', async () => {
    expect(await outputOf(await ran(['dbutils.notebook.exit("ünï 42")']))).toEqual({
      result: 'ünï 42',
      truncated: false,
    });
    expect(await outputOf(await ran(['print("no exit")']))).toEqual({});
  });

  test('spec 2.10 NotebookOutput.truncated marks a result cut to the first 1 MB', async () => {
    const whole = await outputOf(await ran(['dbutils.notebook.exit("x" * 2**20)']));
    const cut = await outputOf(await ran(['dbutils.notebook.exit("x" * (2**20 + 1))']));
    expect([whole, cut].map(({ result, truncated }) => [result.length, truncated])).toEqual([
      [2 ** 20, false],
      [2 ** 20, true],
    ]);
  });

  test('spec 2.10 ViewItem and ViewsToExport are CODE (default), DASHBOARDS, ALL', async () => {
    const run_id = await ran(['displayHTML("<b>x</b>")']);
    for (const [query, types] of [
      [{}, ['NOTEBOOK']],
      [{ views_to_export: 'CODE' }, ['NOTEBOOK']],
      [{ views_to_export: 'DASHBOARDS' }, ['DASHBOARD']],
      [{ views_to_export: 'ALL' }, ['NOTEBOOK', 'DASHBOARD']],
    ] as const) {
      expect(await runyard.callOk('GET', '2.0/jobs/runs/export', { run_id, ...query })).toEqual({
        views: types.map((type) => ({ ...view, type })),
      });
    }
    expect(await runyard.call('GET', '2.0/jobs/runs/export', { run_id, views_to_export: 'PAGES' })).toEqual(
      errorResponse('views_to_export is "PAGES"; it must be one of CODE, DASHBOARDS, ALL.'),
    );
  });
});
