/** Pipelines through HTTP: updates, refresh selections, and the operations on a pipeline. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { pipelinePath, readPublishedTable, runPipelineUpdate } from '../harness/pipelines.ts';
import { registerService, runyard, create, eventsOf } from './pipelines-harness.ts';

registerService();

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
      message: expect.stringContaining(
        'The selection names c, which is not a table of this pipeline; did you mean a?',
      ),
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
