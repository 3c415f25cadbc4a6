/** Declarative pipelines through HTTP, as tasks of jobs and through their own operations. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  waitForUpdateEnd,
  pipelinePath,
  readPublishedTable,
  putWorkspaceFile,
  runPipelineUpdate,
  waitForUpdate,
} from '../harness/pipelines.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
const endless =
  'CREATE MATERIALIZED VIEW heavy AS SELECT count(*) AS n FROM range(100000000) a, range(100000000) b WHERE a.id % 7 = b.id % 11;';

beforeAll(async () => {
  runyard = await startTestService();
});
afterAll(() => runyard.stop());

/** Creates a pipeline with one definition file. */
async function create(name: string, sql: string, more: object = {}): Promise<string> {
  await putWorkspaceFile(runyard, `/team/${name}/tables.sql`, sql);
  const { pipeline_id: id } = await runyard.callOk('POST', '2.0/pipelines', {
    name,
    libraries: [{ glob: { include: `/team/${name}/**` } }],
    ...more,
  });
  return id;
}

const eventsOf = async (pipeline: string, filter = ''): Promise<ResponseBody[]> =>
  (await runyard.callOk('GET', pipelinePath(pipeline, '/events'), { filter, max_results: 0 })).events;

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
    expect(run.tasks[0].state).toMatchObject({ result_state: 'FAILED', state_message: message });
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
      'Flow t failed: 1 of 1 rows do not meet the expectation high (id > 5), which fails the update.';
    expect(run.tasks.map((each: ResponseBody) => each.state.state_message)).toEqual([message, message]);
    const { updates } = await runyard.callOk('GET', pipelinePath(id, '/updates'));
    expect(updates.map((each: ResponseBody) => [each.state, each.task_run_id, each.message])).toEqual(
      run.tasks.toReversed().map((each: ResponseBody) => ['FAILED', each.run_id, message]),
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

describe('pipeline operations', () => {
  test('an update started by a request reports its progress and results', async () => {
    await runyard.putFile('/in/orders.csv', 'id,amount\n1,10\n2,-3\n3,7\n');
    const id = await create(
      'orders',
      `
      CREATE STREAMING TABLE orders (CONSTRAINT paid EXPECT (amount > 0) ON VIOLATION DROP ROW)
      AS SELECT * FROM STREAM read_files('managed_fs:/in/orders*.csv', format => 'csv');
      CREATE MATERIALIZED VIEW total AS SELECT sum(amount) AS amount, '\${label}' AS label FROM orders;`,
      { configuration: { label: 'all' } },
    );
    const update = await runPipelineUpdate(runyard, 'orders');
    expect(update).toMatchObject({
      pipeline_id: id,
      state: 'COMPLETED',
      cause: 'API_CALL',
      full_refresh: false,
      refresh_selection: [],
      message: '',
    });
    expect((await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: update.run_id })).run_name).toBe(
      'Update of pipeline orders',
    );
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/orders', 'total')).toEqual([
      { amount: '17', label: 'all' },
    ]);
    const events = await eventsOf(id);
    expect(events.map((event) => event.event_type).toReversed()).toEqual([
      'create_update',
      'update_progress',
      'update_progress',
      'update_progress',
      'flow_progress',
      'flow_progress',
      'flow_progress',
      'flow_progress',
      'update_progress',
    ]);
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    expect(events.map((event) => event.timestamp)).toEqual(
      events
        .map((event) => event.timestamp)
        .toSorted()
        .toReversed(),
    );
    expect(events.find((event) => event.origin.flow_name === 'orders')?.details.flow_progress).toEqual({
      status: 'COMPLETED',
      metrics: { num_output_rows: 2 },
      data_quality: {
        dropped_records: 1,
        expectations: [{ name: 'paid', dataset: 'orders', passed_records: 2, failed_records: 1 }],
      },
    });
    const paged: ResponseBody[] = [];
    for (let token = ''; ;) {
      const page = await runyard.callOk('GET', pipelinePath(id, '/events'), {
        max_results: 4,
        page_token: token,
      });
      paged.push(...page.events);
      if (page.next_page_token === undefined) break;
      token = page.next_page_token;
    }
    expect(paged).toEqual(events);
    await runyard.callOk('POST', '2.1/jobs/runs/delete', { run_id: update.run_id });
    expect((await runyard.call('GET', pipelinePath(id, `/updates/${update.update_id}`))).status).toBe(404);
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/orders', 'orders')).toHaveLength(2);
  });

  test('refresh selection, full refresh and validation', async () => {
    await runyard.putFile('/in/sel-1.csv', 'id\n1\n');
    const id = await create(
      'selected',
      "CREATE STREAMING TABLE a AS SELECT * FROM STREAM read_files('managed_fs:/in/sel-*.csv'); CREATE MATERIALIZED VIEW b AS SELECT count(*) AS n FROM a;",
    );
    const rows = async (): Promise<unknown[]> => [
      (await readPublishedTable(runyard.dataDirectory, 'pipelines/selected', 'a')).length,
      (await readPublishedTable(runyard.dataDirectory, 'pipelines/selected', 'b'))[0]?.['n'],
    ];
    expect(await runPipelineUpdate(runyard, id, { validate_only: true })).toMatchObject({
      state: 'COMPLETED',
      validate_only: true,
    });
    expect((await runPipelineUpdate(runyard, id)).state).toBe('COMPLETED');
    await runyard.putFile('/in/sel-2.csv', 'id\n2\n');
    expect(await runPipelineUpdate(runyard, id, { refresh_selection: ['b'] })).toMatchObject({
      state: 'COMPLETED',
      refresh_selection: ['b'],
    });
    expect(await rows()).toEqual([1, '1']);
    await runPipelineUpdate(runyard, id, { refresh_selection: ['A'] });
    expect(await rows()).toEqual([2, '1']);
    await runPipelineUpdate(runyard, id, { full_refresh: true });
    expect(await rows()).toEqual([2, '2']);
    expect(await runPipelineUpdate(runyard, id, { full_refresh_selection: ['c'] })).toMatchObject({
      state: 'FAILED',
      message: 'The selection names c, which is not a table of this pipeline; did you mean a?',
    });
    expect(
      await runyard.call('POST', pipelinePath(id, '/updates'), {
        full_refresh: true,
        refresh_selection: ['a'],
      }),
    ).toMatchObject({ status: 400 });
  });

  test('a pipeline is created, found, listed, edited and deleted', async () => {
    const libraries = [{ file: { path: '/team/made/a.sql' } }];
    const { pipeline_id: id } = await runyard.callOk('POST', '2.0/pipelines', {
      name: 'made 1',
      libraries,
      development: true,
    });
    expect(await runyard.callOk('GET', pipelinePath('made 1'))).toMatchObject({
      pipeline_id: id,
      state: 'IDLE',
      health: 'HEALTHY',
      spec: { name: 'made 1', libraries, development: true, storage: 'managed_fs:/pipelines/made 1' },
      latest_updates: [],
    });
    expect(await runyard.call('POST', '2.0/pipelines', { name: 'made 1' })).toMatchObject({
      status: 400,
      body: { error_code: 'RESOURCE_ALREADY_EXISTS' },
    });
    const { pipeline_id: second } = await runyard.callOk('POST', '2.0/pipelines', {
      name: 'made 1',
      allow_duplicate_names: true,
      storage: 'managed_fs:/elsewhere',
    });
    expect(await runyard.call('GET', pipelinePath('made 1'))).toMatchObject({
      status: 400,
      body: { message: 'Several pipelines are named "made 1"; use the UUID instead of the name.' },
    });
    await runyard.callOk('PUT', pipelinePath(second), {
      name: 'made 2',
      storage: 'managed_fs:/elsewhere',
      libraries,
    });
    expect(await runyard.call('PUT', pipelinePath(second), { name: 'made 2', libraries })).toMatchObject({
      status: 400,
    });
    const named = async (filter: string): Promise<string[]> =>
      (await runyard.callOk('GET', '2.0/pipelines', { filter })).statuses.map(
        (each: ResponseBody) => each.name,
      );
    expect(await named("name LIKE 'made%'")).toEqual(['made 2', 'made 1']);
    expect(await named("name = 'made 1'")).toEqual(['made 1']);
    expect(await named("name = 'made%'")).toEqual([]);
    await runyard.callOk('DELETE', pipelinePath(second));
    expect(await runyard.call('GET', pipelinePath(second))).toMatchObject({
      status: 404,
      body: {
        error_code: 'RESOURCE_DOES_NOT_EXIST',
        message: `The specified pipeline ${second} was not found.`,
      },
    });
    expect(await runyard.call('GET', pipelinePath(id, '/updates/nothing'))).toMatchObject({
      status: 404,
      body: { message: 'The specified update nothing was not found.' },
    });
  });

  test('an SQL notebook can be a definition file; a dry run reports the pipeline without creating it', async () => {
    const source =
      '-- MAGIC %md A note\n\n-- COMMAND ----------\nCREATE MATERIALIZED VIEW one AS SELECT 1 AS id;\n\n-- COMMAND ----------\nCREATE MATERIALIZED VIEW two AS SELECT * FROM one;';
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/team/book',
      format: 'SOURCE',
      language: 'SQL',
      content: Buffer.from(source).toString('base64'),
    });
    const body = { name: 'book', libraries: [{ notebook: { path: '/team/book' } }] };
    expect(await runyard.callOk('POST', '2.0/pipelines', { ...body, dry_run: true })).toEqual({
      effective_settings: { ...body, storage: 'managed_fs:/pipelines/book' },
    });
    const { pipeline_id: id } = await runyard.callOk('POST', '2.0/pipelines', body);
    expect((await runPipelineUpdate(runyard, id)).state).toBe('COMPLETED');
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/book', 'two')).toEqual([{ id: 1 }]);
  });

  test.each([
    [{ name: 'a/b' }, /^name is "a\/b"; it must have 1 to 200 characters/],
    [{ name: 'x', storage: '/tmp/x' }, /^storage is "\/tmp\/x"; it must be a directory below managed_fs:/],
    [{ name: 'x', storage: 'managed_fs:/a/../../b' }, /leads outside managed_fs/],
    [{ name: 'x', continuous: true }, /^continuous is true/],
    [{ name: 'x', libraries: [{}] }, /^libraries\[0\] has 0 of glob, file and notebook/],
    [
      { name: 'x', dry_run: true, libraries: [{ file: { path: '/no.sql' } }] },
      /\/no\.sql of the pipeline was not found in the workspace/,
    ],
    [{ name: 'x', dry_run: true }, /^The pipeline has no table: its libraries name no file\./],
  ])('%j is refused', async (body, message) => {
    expect(await runyard.call('POST', '2.0/pipelines', body)).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message: expect.stringMatching(message) },
    });
  });
});

describe('updates that end early', () => {
  test('concurrent requests start one update of a pipeline; a stopped update publishes nothing', async () => {
    const id = await create('slow', endless);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => runyard.call('POST', pipelinePath(id, '/updates'))),
    );
    expect(answers.map(({ status: code }) => code).toSorted()).toEqual([200, 409, 409, 409]);
    const updateId = String(answers.find(({ status: code }) => code === 200)?.body['update_id']);
    await waitForUpdate(runyard, id, updateId, ({ state }) => state === 'RUNNING');
    expect(await runyard.callOk('GET', pipelinePath(id))).toMatchObject({ state: 'RUNNING' });
    const { status, body } = await runyard.call('POST', pipelinePath(id, '/updates'));
    expect([status, body.error_code]).toEqual([409, 'ALREADY_EXISTS']);
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'p', pipeline_task: { pipeline_id: id } }],
    });
    expect((await runyard.waitForRunEnd(runId)).tasks[0].state.state_message).toMatch(
      new RegExp(
        `^Pipeline slow has the active update ${updateId} \\(run \\d+\\); one update of a pipeline runs at a time\\.$`,
      ),
    );
    expect(await runPipelineUpdate(runyard, id, { validate_only: true })).toMatchObject({
      state: 'COMPLETED',
      message: '',
    });
    expect(await runyard.call('DELETE', pipelinePath(id))).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_STATE' },
    });
    await runyard.callOk('POST', pipelinePath(id, '/stop'));
    expect((await waitForUpdateEnd(runyard, id, updateId)).state).toBe('CANCELED');
    expect((await eventsOf(id, `update_id = '${updateId}'`))[0]).toMatchObject({
      event_type: 'update_progress',
      details: { update_progress: { state: 'CANCELED' } },
    });
    expect(await readdir(join(runyard.dataDirectory, 'managed_fs/pipelines/slow'))).not.toContain('current');
    await runyard.callOk('POST', pipelinePath(id, '/stop'));
    await runyard.callOk('DELETE', pipelinePath(id));
  });

  test('a killed update process fails its update and changes no table', async () => {
    await runyard.putFile('/in/killed.csv', 'id\n1\n');
    const table =
      "CREATE STREAMING TABLE t AS SELECT * FROM STREAM read_files('managed_fs:/in/killed*.csv');";
    const id = await create('killed', table);
    expect((await runPipelineUpdate(runyard, id)).state).toBe('COMPLETED');
    await runyard.putFile('/in/killed-2.csv', 'id\n2\n');
    await putWorkspaceFile(runyard, '/team/killed/tables.sql', `${table}\n${endless}`);
    const { update_id: updateId } = await runyard.callOk('POST', pipelinePath(id, '/updates'));
    for (let begun = false; !begun;)
      begun = (await eventsOf(id, `update_id = '${updateId}'`)).some(({ message, level }) => {
        expect([message, level]).toEqual([message, 'INFO']);
        return message === 'Flow heavy is running.';
      });
    const { run_id: runId } = (await runyard.callOk('GET', pipelinePath(id, `/updates/${updateId}`))).update;
    const [supervisor = ''] = (
      await readFile(join(runyard.dataDirectory, 'runs', String(runId), 'pid'), 'utf8')
    ).split(' ');
    const [child = ''] = (await readFile(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8'))
      .trim()
      .split(' ');
    process.kill(Number(child), 'SIGKILL');
    expect(await waitForUpdateEnd(runyard, id, updateId)).toMatchObject({
      state: 'FAILED',
      message:
        'The process of the update ended with exit code 137 (killed by signal 9, SIGKILL). Nothing was published.',
    });
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/killed', 't')).toEqual([{ id: '1' }]);
    await putWorkspaceFile(runyard, '/team/killed/tables.sql', table);
    expect((await runPipelineUpdate(runyard, id)).state).toBe('COMPLETED');
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/killed', 't')).toEqual([
      { id: '1' },
      { id: '2' },
    ]);
  });
});
