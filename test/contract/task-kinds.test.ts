/** Fields of the six task kinds in single-task and multi-task jobs (spec 2.7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  assertFieldRow,
  jobLocation,
  taskLocation,
  newCluster,
  withoutTaskKind,
  type FieldRow,
  type SettingsLocation,
} from './field-rows.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
});
afterAll(() => runyard.stop());

const notebook = (fields: object) => ({
  ...withoutTaskKind,
  notebook_task: { notebook_path: '/Users/a/report', ...fields },
});
const jar = (fields: object) => ({ ...withoutTaskKind, spark_jar_task: fields });
const pythonTask = (fields: object) => ({
  spark_python_task: { python_file: 'managed_fs:/x.py', ...fields },
});
const onNew = { existing_cluster_id: undefined, new_cluster: newCluster };
const submit = (parameters: unknown, more: object = onNew) => ({
  ...withoutTaskKind,
  spark_submit_task: { parameters },
  ...more,
});
const pipeline = (fields: object) => ({
  ...withoutTaskKind,
  existing_cluster_id: undefined,
  pipeline_task: fields,
});
const runJob = (fields: object) => ({
  ...withoutTaskKind,
  existing_cluster_id: undefined,
  run_job_task: fields,
});
const notText = (field: string, found = 'NUMBER') =>
  `Could not parse request object: Expected string for field <at>${field}, found ${found}`;
const notList = (field: string) =>
  `Could not parse request object: Expected array for field <at>${field}, found STRING`;
const ascii = 'only ASCII characters are allowed.';

const rows: readonly FieldRow[] = [
  {
    field: 'NotebookTask.notebook_path',
    accepts: [notebook({}), notebook({ notebook_path: '/ünï code' })],
    rejects: [
      [{ ...withoutTaskKind, notebook_task: {} }, 'Missing required field: <at>notebook_task.notebook_path.'],
      [notebook({ notebook_path: '' }), 'Missing required field: <at>notebook_task.notebook_path.'],
      [
        notebook({ notebook_path: 'report' }),
        '<at>notebook_task.notebook_path is "report"; it must be an absolute path that starts with a slash.',
      ],
    ],
  },
  {
    field: 'NotebookTask.revision_timestamp',
    accepts: [notebook({ revision_timestamp: 1_770_000_000_000 })],
    rejects: [
      [
        notebook({ revision_timestamp: 'new' }),
        'Could not parse request object: Expected integer for field <at>notebook_task.revision_timestamp, found STRING "new"',
      ],
    ],
  },
  {
    field: 'NotebookTask.base_parameters (ParamPair)',
    accepts: [
      notebook({ base_parameters: {} }),
      notebook({ base_parameters: { day: '2026-11-20', 'a b': '' } }),
    ],
    rejects: [
      [
        notebook({ base_parameters: { city: 'Zürich' } }),
        `<at>notebook_task.base_parameters.city is "Zürich"; ${ascii}`,
      ],
      [
        notebook({ base_parameters: { größe: '1' } }),
        `<at>notebook_task.base_parameters has the name "größe"; ${ascii}`,
      ],
      [notebook({ base_parameters: { day: 1 } }), notText('notebook_task.base_parameters.day')],
      [
        notebook({ base_parameters: [] }),
        'Could not parse request object: Expected object for field <at>notebook_task.base_parameters, found ARRAY',
      ],
    ],
  },
  {
    field: 'SparkJarTask.jar_uri',
    accepts: [jar({ jar_uri: 'managed_fs:/app.jar', main_class_name: 'com.example.Main' })],
    rejects: [[jar({ jar_uri: 1 }), notText('spark_jar_task.jar_uri')]],
  },
  {
    field: 'SparkJarTask.main_class_name',
    accepts: [
      { ...jar({ main_class_name: 'com.example.Main' }), libraries: [{ jar: 'managed_fs:/app.jar' }] },
    ],
    rejects: [[jar({ main_class_name: 1 }), notText('spark_jar_task.main_class_name')]],
  },
  {
    field: 'SparkJarTask.parameters',
    accepts: [jar({ parameters: [] }), jar({ parameters: ['a', 'ünï'] })],
    rejects: [
      [jar({ parameters: 'a' }), notList('spark_jar_task.parameters')],
      [jar({ parameters: [1] }), notText('spark_jar_task.parameters[0]')],
    ],
  },
  {
    field: 'SparkPythonTask.python_file',
    accepts: [pythonTask({}), pythonTask({ python_file: 'objstore://bucket/x.py' })],
    rejects: [
      [{ spark_python_task: {} }, 'Missing required field: <at>spark_python_task.python_file.'],
      [pythonTask({ python_file: ' ' }), 'Missing required field: <at>spark_python_task.python_file.'],
    ],
  },
  {
    field: 'SparkPythonTask.parameters',
    accepts: [pythonTask({ parameters: [] }), pythonTask({ parameters: ['--city', 'Zürich'] })],
    rejects: [
      [pythonTask({ parameters: 'a' }), notList('spark_python_task.parameters')],
      [pythonTask({ parameters: [null] }), notText('spark_python_task.parameters[0]', 'NULL')],
    ],
  },
  {
    field: 'SparkSubmitTask.parameters',
    accepts: [
      submit([
        '--class',
        'Main',
        '--name',
        'Ñandú',
        '--conf',
        'a=b',
        '--driver-memory',
        '2g',
        '--executor-memory',
        '1g',
        'managed_fs:/app.jar',
        '--master',
      ]),
      submit([
        '--jars',
        'managed_fs:/a.jar',
        '--py-files',
        'managed_fs:/a.py',
        '--files',
        'managed_fs:/a',
        'managed_fs:/app.py',
      ]),
    ],
    rejects: [
      ...['--master', '--deploy-mode', '--executor-cores'].map((option): [object, string] => [
        submit([option, 'x', 'app.jar']),
        `<at>spark_submit_task.parameters[0] is ${option}; it is set by the service and must not be given.`,
      ]),
      [submit([], {}), '<at>existing_cluster_id is given; <at>spark_submit_task runs only on a new_cluster.'],
      [
        submit([], { ...onNew, libraries: [{ jar: 'a' }] }),
        '<at>libraries is given; <at>spark_submit_task takes libraries only as --jars, --py-files and --files in its parameters.',
      ],
      [
        submit([], { ...onNew, new_cluster: { ...newCluster, spark_conf: { a: 'b' } } }),
        '<at>new_cluster.spark_conf is given; <at>spark_submit_task takes configuration only as --conf in its parameters.',
      ],
    ],
  },
  {
    field: 'PipelineTask.pipeline_id',
    accepts: [pipeline({ pipeline_id: 'team/sales' })],
    rejects: [
      [pipeline({}), 'Missing required field: <at>pipeline_task.pipeline_id.'],
      [pipeline({ pipeline_id: '' }), 'Missing required field: <at>pipeline_task.pipeline_id.'],
    ],
  },
  {
    field: 'RunJobTask.job_id',
    accepts: [runJob({ job_id: 7 }), runJob({ job_id: 2_147_483_647 })],
    rejects: [
      [runJob({}), 'Missing required field: <at>run_job_task.job_id.'],
      [runJob({ job_id: 0 }), '<at>run_job_task.job_id is 0; it must be at least 1.'],
      [
        runJob({ job_id: 1, python_params: ['a'], spark_submit_params: ['b'] }),
        '<at>run_job_task.python_params and <at>run_job_task.spark_submit_params are given; only the parameters of one task kind are allowed.',
      ],
      [
        runJob({ job_id: 1, notebook_params: { größe: '1' } }),
        '<at>run_job_task.notebook_params has the name "größe"; only ASCII characters are allowed.',
      ],
      [
        runJob({ job_id: 'x' }),
        'Could not parse request object: Expected integer for field <at>run_job_task.job_id, found STRING "x"',
      ],
    ],
  },
];

describe.each<[string, SettingsLocation]>([
  ['a single-task job', jobLocation],
  ['a task of several', taskLocation],
])('in %s', (_name, place) => {
  test.each(rows)('spec 2.7 $field', (row) => assertFieldRow(runyard, row, place));
});

describe('spec 2.7 NotebookTask: parameters of the notebook', () => {
  test('run-now overrides base_parameters, and a missing parameter has the default of the notebook', async () => {
    await runyard.putNotebook('/who', [
      ...['own', 'given', 'left'].map((name) => `dbutils.widgets.text("${name}", "default ${name}")`),
      `dbutils.notebook.exit(", ".join(dbutils.widgets.get(name) for name in ("own", "given", "left")))`,
    ]);
    const settings = {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/who', base_parameters: { own: 'base own', given: 'base given' } },
    };
    const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', settings);
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', {
      job_id,
      notebook_params: { given: 'run given' },
    });
    await runyard.waitForRunEnd(run_id);
    const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
    expect(output.notebook_output).toEqual({ result: 'base own, run given, default left', truncated: false });
  });
});

test('spec 2.7 JobTask: a run contains its task', async () => {
  for (const task of [
    notebook({}),
    jar({ main_class_name: 'Main' }),
    pythonTask({}),
    submit(['app.jar']),
    pipeline({ pipeline_id: 'p' }),
    runJob({ job_id: 7 }),
  ]) {
    const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
      ...jobLocation.toJobSettings(task),
      max_concurrent_runs: 0,
    });
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
    const run = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });
    expect(run.task).toEqual(
      Object.fromEntries(
        Object.entries(task).filter(([field, value]) => field.endsWith('_task') && value !== undefined),
      ),
    );
  }
});
