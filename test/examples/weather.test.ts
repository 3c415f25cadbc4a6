/** Tests of the weather example: the report of every year against values computed from the data. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { noLibraries } from '../../engine/cluster/libraries.ts';
import { notebookRunner } from '../../runners/notebook/notebook.ts';
import { pythonRunner } from '../../runners/python/python.ts';
import {
  createTemporaryDirectory,
  createTestContext,
  type FileRoots,
  type TestContext,
} from '../unit/runners/test-context.ts';
import { expectedReport } from './expected-weather.ts';

const example = fileURLToPath(new URL('../../examples/weather/', import.meta.url));

interface Task {
  readonly task_key: string;
  readonly depends_on?: readonly { readonly task_key: string }[];
  readonly spark_python_task?: { python_file: string; parameters: string[] };
  readonly notebook_task?: { notebook_path: string; base_parameters: Record<string, string> };
}

interface Job {
  readonly job_clusters: readonly {
    readonly new_cluster: { readonly spark_env_vars: Record<string, string> };
  }[];
  readonly tasks: readonly Task[];
}

let job: Job;

beforeAll(async () => {
  job = JSON.parse(await readFile(join(example, 'job.json'), 'utf8'));
});

/** Copies the files of the example to the paths of its job. */
async function installExample(): Promise<FileRoots> {
  const root = await createTemporaryDirectory();
  const roots = { managedFs: join(root, 'managed_fs'), workspace: join(root, 'workspace') };
  const [shared, notebooks] = [join(roots.managedFs, 'weather'), join(roots.workspace, 'weather')];
  await mkdir(shared, { recursive: true });
  await mkdir(notebooks, { recursive: true });
  for (const name of ['seattle-weather.csv', 'ingest.py'])
    await copyFile(join(example, name), join(shared, name));
  for (const name of ['temperature.py', 'rain.py', 'report.py'])
    await copyFile(join(example, name), join(notebooks, name));
  return roots;
}

/** Runs one task of the job with this year as its parameter. */
async function runTask(task: Task, year: string, roots: FileRoots): Promise<TestContext> {
  const environment = job.job_clusters[0]?.new_cluster.spark_env_vars ?? {};
  const context = await createTestContext(
    {
      cluster: {
        clusterId: '0101-000000-abcdefgh',
        directory: roots.managedFs,
        environment,
        libraries: noLibraries,
      },
    },
    roots,
  );
  const notebook = task.notebook_task;
  const outcome =
    notebook === undefined
      ? await pythonRunner.run(task.spark_python_task ?? { python_file: '' }, context)
      : await notebookRunner.run(
          { ...notebook, base_parameters: { ...notebook.base_parameters, year } },
          context,
        );
  expect(context.output()?.errorTrace).toBeUndefined();
  expect(outcome).toEqual({ kind: 'succeeded' });
  return context;
}

test('the job has one first task, two parallel tasks and one last task', () => {
  expect(
    job.tasks.map((task) => [task.task_key, (task.depends_on ?? []).map((each) => each.task_key)]),
  ).toEqual([
    ['ingest', []],
    ['temperature', ['ingest']],
    ['rain', ['ingest']],
    ['report', ['rain', 'temperature']],
  ]);
});

test.each(['2012', '2013', '2014', '2015'])('the report of %s has the values of that year', async (year) => {
  const roots = await installExample();
  let last: TestContext | undefined;
  for (const task of job.tasks) last = await runTask(task, year, roots);

  const summary = JSON.parse(last?.output()?.result ?? '');
  expect(summary).toMatchObject(await expectedReport(year));
  const [low, high] = summary.mean_temp_max_interval;
  expect(low < summary.mean_temp_max && summary.mean_temp_max < high).toBe(true);

  const table = (await last?.report())?.cells
    .flatMap((cell) => cell.outputs)
    .flatMap((output) => (output.type === 'html' ? [output.data] : []));
  expect(table?.join('').match(/<tr>/g)).toHaveLength(13);
});
