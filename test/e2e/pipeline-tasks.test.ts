/** Declarative pipelines as tasks of jobs (spec 2.7), through HTTP. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { pipelinePath, readPublishedTable, putWorkspaceFile } from '../harness/pipelines.ts';
import { registerService, runyard, create, eventsOf } from './pipelines-harness.ts';

registerService();

describe('spec 2.7: a pipeline_task', () => {
  beforeAll(async () => {
    await putWorkspaceFile(
      runyard,
      '/example/spark-pipeline.yml',
      'name: example\nstorage: managed_fs:/pipelines/example\nlibraries:\n  - glob:\n      include: transformations/**\n',
    );
    await putWorkspaceFile(
      runyard,
      '/example/transformations/example_numbers.sql',
      'CREATE MATERIALIZED VIEW example_numbers AS SELECT id FROM range(10);\n',
    );
    await putWorkspaceFile(
      runyard,
      '/example/transformations/example_even.sql',
      'CREATE MATERIALIZED VIEW example_even AS SELECT id FROM example_numbers WHERE id % 2 = 0;\n',
    );
  });

  test.each([
    ['its folder', '/example'],
    ['its spec file', '/Workspace/example/spark-pipeline.yml'],
    ['its name', 'example'],
  ])('runs the published example of the open format, named by %s', async (_how, id) => {
    const job = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'p',
      tasks: [{ task_key: 'tables', pipeline_task: { pipeline_id: id } }],
    });
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/run-now', job);
    const run = await runyard.waitForRunEnd(runId);
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
    const {
      updates: [update],
    } = await runyard.callOk('GET', pipelinePath(id, '/updates'));
    expect(update).toMatchObject({
      state: 'COMPLETED',
      cause: 'JOB_TASK',
      run_id: runId,
      task_run_id: run.tasks[0].run_id,
      job_id: job.job_id,
    });
    expect(
      (await readPublishedTable(runyard.dataDirectory, 'pipelines/example', 'example_even')).map(
        ({ id: value }) => Number(value),
      ),
    ).toEqual([0, 2, 4, 6, 8]);
  });

  test('the UUID and the path of a spec file name one pipeline, which only the file can change', async () => {
    const { pipeline_id: id, spec, spec_path: path } = await runyard.callOk('GET', pipelinePath('/example'));
    expect(path).toBe('/example/spark-pipeline.yml');
    expect(spec).toEqual({
      name: 'example',
      storage: 'managed_fs:/pipelines/example',
      configuration: {},
      libraries: [{ glob: { include: 'transformations/**' } }],
    });
    expect((await runyard.callOk('GET', pipelinePath(id))).name).toBe('example');
    expect(await runyard.call('PUT', pipelinePath(id), { name: 'other' })).toMatchObject({
      status: 400,
      body: { message: 'Pipeline "example" is defined by /example/spark-pipeline.yml; change that file.' },
    });
  });

  test('a deleted spec file or one with the name of another pipeline is an error', async () => {
    await putWorkspaceFile(runyard, '/copy/pipeline.yaml', 'name: example\n');
    expect(await runyard.call('GET', pipelinePath('/copy'))).toMatchObject({
      status: 400,
      body: {
        message: '/copy/pipeline.yaml has the name "example", which another pipeline has; names are unique.',
      },
    });
    await putWorkspaceFile(runyard, '/copy/pipeline.yaml', 'name: copy\n');
    expect((await runyard.callOk('GET', pipelinePath('/copy'))).name).toBe('copy');
    await runyard.callOk('POST', '2.0/workspace/delete', { path: '/copy/pipeline.yaml' });
    expect(await runyard.call('GET', pipelinePath('copy'))).toMatchObject({
      status: 400,
      body: { message: 'The spec file /copy/pipeline.yaml of pipeline copy does not exist any more.' },
    });
    await runyard.callOk('DELETE', pipelinePath('copy'));
    expect((await runyard.call('GET', pipelinePath('copy'))).status).toBe(404);
  });

  test.each([
    ['nowhere', 'The specified pipeline nowhere was not found.'],
    ['/nowhere', 'The specified pipeline /nowhere was not found.'],
    [
      '/example/transformations',
      'The folder /example/transformations holds no spec file of a pipeline; it must have one named spark-pipeline.yml, spark-pipeline.yaml, pipeline.yml, pipeline.yaml.',
    ],
  ])('fails for %s with a sentence that says what is missing', async (id, message) => {
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'p', pipeline_task: { pipeline_id: id } }],
    });
    const run = await runyard.waitForRunEnd(runId);
    expect(run.tasks[0].state).toMatchObject({
      result_state: 'FAILED',
      state_message: expect.stringContaining(message.slice(0, -1)),
    });
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[0].run_id })).error,
    ).toBe(message);
  });

  test('a failing update names its flow and the cause, and each retry is a new update', async () => {
    await runyard.putFile('/in/retry.csv', 'id\n1\n');
    const id = await create(
      'failing',
      "CREATE STREAMING TABLE t (CONSTRAINT high EXPECT (id > 5) ON VIOLATION FAIL UPDATE) AS SELECT * FROM STREAM read_files('managed_fs:/in/retry.csv');",
    );
    const task = {
      task_key: 'p',
      pipeline_task: { pipeline_id: 'failing' },
      max_retries: 1,
      min_retry_interval_millis: 0,
    };
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks: [task] });
    const run = await runyard.waitForRunEnd(runId);
    const message =
      'Flow t failed: 1 of 1 rows do not meet the expectation high (id > 5), which fails the update';
    expect(run.tasks.map((each: ResponseBody) => each.state.state_message)).toEqual([
      expect.stringContaining(message),
      expect.stringContaining(
        `${message} (/team/failing/tables.sql). Failed after 2 attempts (max_retries 1).`,
      ),
    ]);
    const { updates } = await runyard.callOk('GET', pipelinePath(id, '/updates'));
    expect(updates.map((each: ResponseBody) => [each.state, each.task_run_id, each.message])).toEqual(
      run.tasks
        .toReversed()
        .map((each: ResponseBody) => ['FAILED', each.run_id, expect.stringContaining(message)]),
    );
    expect(await readdir(join(runyard.dataDirectory, 'managed_fs/pipelines/failing'))).not.toContain(
      'current',
    );
    expect(await runyard.callOk('GET', pipelinePath(id))).toMatchObject({
      state: 'IDLE',
      health: 'UNHEALTHY',
    });
    const [failed] = await eventsOf(id, "level = 'ERROR' AND event_type = 'flow_progress'");
    expect(failed).toMatchObject({
      origin: { pipeline_id: id, pipeline_name: 'failing', flow_name: 't', dataset_name: 't' },
      error: { fatal: true, exceptions: [{}] },
      details: {
        flow_progress: {
          status: 'FAILED',
          data_quality: {
            expectations: [{ name: 'high', dataset: 't', passed_records: 0, failed_records: 1 }],
          },
        },
      },
    });
  });
});
