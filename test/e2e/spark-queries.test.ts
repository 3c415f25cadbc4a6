/** What Spark computes is shown while it runs, stopped with its task, and explained when it fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startSparkService, type SparkService } from '../harness/spark-service.ts';
import { findTestSpark, sparkTitle } from '../harness/spark.ts';
import { activeStages, driverOf, type SparkJobs } from '../harness/spark-jobs.ts';
import type { TestService } from '../harness/test-service.ts';
import { closeBrowser, isBrowserMissing, openConsole, waitForCount } from './console/console-page.ts';

const installed = await findTestSpark();
const onlyWithSpark = describe.skipIf('missing' in installed);

onlyWithSpark(sparkTitle('queries of Spark', installed), { timeout: 240_000 }, () => {
  let spark: SparkService;
  let runyard: TestService;
  let cluster_id: string;
  const shared = (): object => ({ existing_cluster_id: cluster_id });
  const { put, submit, end }: Pick<SparkJobs, 'put' | 'submit' | 'end'> = {
    put: (...content) => spark.jobs.put(...content),
    submit: (task) => spark.jobs.submit(task),
    end: (run) => spark.jobs.end(run),
  };

  beforeAll(async () => {
    spark = await startSparkService();
    ({ runyard, cluster_id } = spark);
  });
  afterAll(() => runyard?.stop());

  /** Looks at the pages of the cluster and of a run whose query runs, and at the pages of Spark itself. */
  const lookAtConsole = async (run: number): Promise<void> => {
    const shown = await openConsole(runyard);
    try {
      await shown.goTo(`#cluster/${cluster_id}`);
      await shown.signIn();
      await shown.heading('shared').first().waitFor();
      await waitForCount(shown.tableRows(/Running stages/), 2);
      await waitForCount(shown.tableRows(/Executors/), 2);
      const opened = shown.page.context().waitForEvent('page');
      await shown.link('Open').click();
      const pages = await opened;
      await pages.getByRole('heading', { name: 'Spark Jobs' }).waitFor();
      await shown.goTo(`#job/run/${run}`);
      await shown.waitForText(/^0 of 1 stage, 0 of 2 tasks$/);
      expect(shown.browserErrors).toEqual([]);
    } finally {
      await shown.close();
      await closeBrowser();
    }
  };

  test('while a query runs, its stages are shown for the task and for the cluster, with the pages of Spark', async () => {
    const run = await submit({ ...shared(), spark_python_task: { python_file: 'managed_fs:/endless.py' } });
    try {
      await eventually(() => activeStages(runyard.dataDirectory, cluster_id), {
        until: (count) => count > 0,
        within: 120_000,
      });
      const [task] = (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: run })).tasks;
      const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: task.run_id });
      expect(output.spark_progress).toMatchObject({
        num_jobs: 1,
        num_completed_jobs: 0,
        num_tasks: 2,
        num_completed_tasks: 0,
        active_stages: [{ num_tasks: 2, num_completed_tasks: 0 }],
      });
      const { applications } = await runyard.callOk('GET', '2.1/clusters/list-spark-applications', {
        cluster_id,
      });
      expect(applications).toMatchObject([
        {
          state: 'RUNNING',
          name: 'shared',
          spark_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
          application_id: output.spark_progress.application_id,
          executors: [{ executor_id: 'driver', num_cores: 2 }],
          active_stages: [{ num_tasks: 2 }],
        },
      ]);
      const [{ pages_url: pages, application_id: id }] = applications;
      const page = await fetch(pages);
      expect([page.status, page.url, page.headers.get('content-security-policy')]).toEqual([
        200,
        `${pages}jobs/`,
        expect.stringContaining('sandbox allow-scripts'),
      ]);
      const { pathname } = new URL(pages);
      expect(await page.text()).toContain(`href="${pathname}stages/"`);
      const list = await fetch(`${pages}api/v1/applications`);
      expect(await list.json()).toMatchObject([{ id }]);
      const status = async (path: string, init: RequestInit = {}): Promise<number> =>
        (await fetch(`${pages}${path}`, init)).status;
      const refused = [
        await status('jobs/job/kill/?id=0'),
        await status('static//x'),
        await status('jobs/', { method: 'POST' }),
        (await fetch(pages.replace(/[^/]+\/$/, 'x/'))).status,
      ];
      expect(refused).toEqual([400, 400, 401, 403]);
      if (!isBrowserMissing) await lookAtConsole(run);
      // Without the signature of the service, Spark shows nothing.
      const { pagesPort } = await driverOf(runyard.dataDirectory, cluster_id);
      expect((await fetch(`http://127.0.0.1:${pagesPort}/jobs/`)).status).toBe(403);
    } finally {
      await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: run });
    }
    expect((await end(run)).result).toBe('CANCELED');
    await eventually(() => activeStages(runyard.dataDirectory, cluster_id), {
      until: (count) => count === 0,
    });
  });

  test('a timeout stops the Spark job of a task, and the driver serves the next task', async () => {
    const tasks = [
      { task_key: 'main', ...shared(), spark_python_task: { python_file: 'managed_fs:/endless.py' } },
    ];
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', { tasks });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
    const stages = () => activeStages(runyard.dataDirectory, cluster_id);
    await eventually(stages, { until: (count) => count > 0, within: 120_000 });
    await runyard.callOk('POST', '2.1/jobs/update', { job_id, new_settings: { timeout_seconds: 1 } });
    expect((await end(run_id)).result).toBe('TIMEDOUT');
    await eventually(stages, { until: (count) => count === 0 });
  });

  test('a failed function of the user is the error of the task and of the cell, with its place', async () => {
    const failing =
      'from pyspark.sql import SparkSession, functions as f\nspark = SparkSession.builder.getOrCreate()\ndef parse(value):\n    return int("x" + str(value))\nspark.range(2).select(f.udf(parse, "int")("id")).collect()\n';
    await put('/failing.py', failing);
    await runyard.putNotebook('/failing', [failing]);
    const program = await submit({
      ...shared(),
      spark_python_task: { python_file: 'managed_fs:/failing.py' },
    });
    const notebook = await submit({ ...shared(), notebook_task: { notebook_path: '/failing' } });
    const error = /^ValueError: invalid literal for int\(\) with base 10: 'x[01]'$/;
    for (const { result, output, message } of [await end(program), await end(notebook)]) {
      expect([result, output.error]).toEqual(['FAILED', expect.stringMatching(error)]);
      expect(message).toMatch(/^Workload failed, see run output for details: ValueError: invalid literal/);
      expect(output.explanation.cause_code).toBe('USER_CODE');
    }
  });

  test('a lost driver fails the task with an explanation, and the next task gets another driver', async () => {
    const run = await submit({ ...shared(), spark_python_task: { python_file: 'managed_fs:/endless.py' } });
    await eventually(() => activeStages(runyard.dataDirectory, cluster_id), {
      until: (count) => count > 0,
      within: 120_000,
    });
    const { pid } = await driverOf(runyard.dataDirectory, cluster_id);
    process.kill(-pid, 'SIGKILL');
    const lost = await end(run);
    expect([lost.result, lost.message]).toEqual([
      'FAILED',
      expect.stringMatching(
        `^The Spark driver of cluster ${cluster_id} was lost: (?:its process is gone without an exit code|it ended with exit code 137 .*)\\. What it computed`,
      ),
    ]);
    const next = await end(
      await submit({
        ...shared(),
        spark_python_task: { python_file: 'managed_fs:/sum.py', parameters: ['again'] },
      }),
    );
    expect([next.result, next.output.error]).toEqual(['SUCCESS', undefined]);
  });
});
