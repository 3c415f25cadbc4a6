/** Dashboards over HTTP: brought in, migrated, read, listed and trashed, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
import { addUser } from '../../harness/users.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.callOk('POST', '2.0/workspace/mkdirs', { path: '/reports' });
});
afterAll(() => runyard.stop());

const classicPath = '2.0/preview/sql/dashboards';
const modernPath = '2.0/modern/dashboards';
const unknown = '4e443c27-9f61-4f2e-a12d-ea5668460bf1';

const classic = (fields: object = {}): ResponseBody => ({
  name: 'Sales',
  tags: ['team'],
  slug: 'sales',
  widgets: [
    { id: 1, text: '# Sales', options: { position: { col: 0, row: 0, sizeX: 6, sizeY: 1 } } },
    {
      id: 2,
      options: { position: { col: 0, row: 1, sizeX: 3, sizeY: 4 } },
      visualization: {
        type: 'CHART',
        name: 'Revenue',
        options: { globalSeriesType: 'line', columnMapping: { zebra: 'x', b: 'y', a: 'y' } },
        query: {
          id: 'q',
          name: 'Revenue',
          data_source_id: 'warehouse-1',
          query: "SELECT zebra, a, b FROM t WHERE c = '{{ p }}'",
          options: { parameters: [{ name: 'p', type: 'text', value: 'x' }] },
        },
      },
    },
  ],
  ...fields,
});

const bring = (fields: object = {}): Promise<ResponseBody> =>
  runyard.callOk('POST', classicPath, classic(fields));
const migrate = (input: object): Promise<{ status: number; body: ResponseBody }> =>
  runyard.call('POST', `${modernPath}/migrate`, input);
const countOf = async (): Promise<number[]> =>
  Promise.all([
    runyard.callOk('GET', classicPath).then(({ count }) => count),
    runyard
      .callOk('GET', modernPath, { show_trashed: true, page_size: 0 })
      .then(({ dashboards }) => dashboards.length),
  ]);

describe('spec 4.4: classic dashboards', () => {
  test('come in as one document and are shown as they were written', async () => {
    const { id, created_at, user, ...rest } = await bring();
    expect(rest).toEqual(classic());
    expect({ id, created_at, user }).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/),
      user: { name: 'admin' },
    });
    expect(await runyard.callOk('GET', `${classicPath}/${id}`)).toEqual({ ...rest, id, created_at, user });
    expect(await runyard.callOk('GET', `${classicPath}/${id.toUpperCase()}`)).toMatchObject({ id });
  });

  test('keep their id; it is taken once', async () => {
    const id = '4E443C27-9f61-4f2e-a12d-ea5668460b00';
    expect((await bring({ id })).id).toBe(id.toLowerCase());
    expect(await runyard.call('POST', classicPath, classic({ id }))).toEqual({
      status: 409,
      body: {
        error_code: 'ALREADY_EXISTS',
        message: `A classic dashboard with the id ${id.toLowerCase()} already exists; delete it first or omit the id.`,
      },
    });
  });

  test('are listed without their widgets, and deleted for good', async () => {
    const { id } = await bring({ name: 'To be deleted' });
    const { results, ...page } = await runyard.callOk('GET', classicPath, { q: 'TO BE DEL', page_size: 5 });
    expect(page).toEqual({ count: 1, page: 1, page_size: 5 });
    expect(results).toMatchObject([{ id, name: 'To be deleted', tags: ['team'], slug: 'sales' }]);
    expect(results[0]).not.toHaveProperty('widgets');
    expect(await runyard.callOk('DELETE', `${classicPath}/${id}`)).toEqual({});
    for (const method of ['GET', 'DELETE'] as const) {
      expect(await runyard.call(method, `${classicPath}/${id}`)).toEqual({
        status: 404,
        body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `Classic dashboard ${id} does not exist.` },
      });
    }
  });

  const query = { query: 'SELECT 1' };
  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'Missing required field: name.'],
    ['an empty name', { name: ' ' }, 'Missing required field: name.'],
    ['a long name', { name: 'x'.repeat(231) }, 'name is 231 bytes of UTF-8; at most 230 are allowed.'],
    [
      'an id that is none',
      { id: '7' },
      'id is "7"; it must be a UUID, such as 4e443c27-9f61-4f2e-a12d-ea5668460bf1.',
    ],
    [
      'a visualization without a type',
      { widgets: [{}, { visualization: { query } }] },
      'Missing required field: widgets[1].visualization.type.',
    ],
    [
      'a visualization without a query',
      { widgets: [{ visualization: { type: 'TABLE' } }] },
      'Missing required field: widgets[0].visualization.query.query.',
    ],
    [
      'queries that are too long',
      {
        widgets: [1, 2].map(() => ({
          visualization: { type: 'TABLE', query: { query: 'x'.repeat(2 ** 21 + 1) } },
        })),
      },
      'The queries of the dashboard are 4194306 bytes of UTF-8 together; at most 4194304 are allowed.',
    ],
    [
      'too many widgets',
      { widgets: Array.from({ length: 1_001 }, () => ({ text: '' })) },
      'widgets has 1001 entries; at most 1000 are allowed.',
    ],
    [
      'a widget that is none',
      { widgets: ['x'] },
      'Could not parse request object: Expected object for field widgets[0], found STRING',
    ],
  ])('with %s are refused', async (_, fields, message) => {
    const before = await countOf();
    const { status, body } = await runyard.call('POST', classicPath, classic(fields));
    expect({ status, message: body.message }).toEqual({ status: 400, message });
    expect(await countOf()).toEqual(before);
  });
});

describe('spec 2.12: a migrated dashboard', () => {
  test('has every field, and is read again as it was answered', async () => {
    const { id } = await bring();
    const { status, body } = await migrate({
      source_dashboard_id: id,
      display_name: 'All fields',
      parent_path: '/Workspace/reports/',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      dashboard_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      display_name: 'All fields',
      path: '/reports/All fields.lvdash.json',
      parent_path: '/reports',
      create_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      update_time: body.create_time,
      warehouse_id: 'warehouse-1',
      etag: '1',
      lifecycle_state: 'ACTIVE',
      serialized_dashboard: expect.stringMatching(/^\{"datasets":.*\}\n$/),
      source_dashboard_id: id,
      warnings: [],
    });
    const { datasets, pages } = JSON.parse(body.serialized_dashboard);
    expect(datasets[0].queryLines.join('')).toBe('SELECT zebra, a, b FROM t WHERE c = :p');
    expect(
      pages[0].layout.map(({ position }: ResponseBody) => [
        position.x,
        position.y,
        position.width,
        position.height,
      ]),
    ).toEqual([
      [0, 0, 2, 1],
      [0, 1, 6, 1],
      [0, 2, 3, 4],
    ]);
    // The columns of the chart come in the order in which they were written.
    expect(
      pages[0].layout[2].widget.spec.encodings.y.fields.map(({ fieldName }: ResponseBody) => fieldName),
    ).toEqual(['b', 'a']);
    expect(await runyard.callOk('GET', `${modernPath}/${body.dashboard_id}`)).toEqual(body);
    expect(await runyard.callOk('GET', `${classicPath}/${id}`)).toMatchObject({ id });
  });

  test('takes its name and its folder from the classic one and from who asks', async () => {
    const { id } = await bring({ name: 'North/South' });
    const { body } = await migrate({ source_dashboard_id: id });
    expect(body).toMatchObject({
      display_name: 'North-South',
      path: '/Users/admin/North-South.lvdash.json',
      parent_path: '/Users/admin',
    });
    expect(await runyard.callOk('GET', '2.0/workspace/get-status', { path: '/Users/admin' })).toMatchObject({
      object_type: 'DIRECTORY',
    });
  });

  test('keeps its queries byte for byte when parameters are not to be rewritten', async () => {
    const { id } = await bring();
    const { body } = await migrate({
      source_dashboard_id: id,
      display_name: 'As it was',
      update_parameter_syntax: 'False',
    });
    expect(JSON.parse(body.serialized_dashboard).datasets[0].queryLines).toEqual([
      "SELECT zebra, a, b FROM t WHERE c = '{{ p }}'",
    ]);
    expect(body.warnings).toEqual([
      'Dataset "Revenue": its parameters are still {{ }}, which the modern format does not support.',
    ]);
  });

  test('gets a number where its name is taken, by a dashboard or by a file', async () => {
    const { id } = await bring();
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/reports/Taken (2).lvdash.json',
      format: 'AUTO',
      content: '',
    });
    const again = async (): Promise<string> =>
      (await migrate({ source_dashboard_id: id, display_name: 'Taken', parent_path: '/reports' })).body
        .display_name;
    expect([await again(), await again(), await again()]).toEqual(['Taken', 'Taken (3)', 'Taken (4)']);
    expect((await Promise.all([again(), again(), again()])).toSorted()).toEqual([
      'Taken (5)',
      'Taken (6)',
      'Taken (7)',
    ]);
  });

  test('goes to the trash, is read there, and gives its name free', async () => {
    const { id } = await bring();
    const { body: dashboard } = await migrate({
      source_dashboard_id: id,
      display_name: 'Trashed',
      parent_path: '/',
    });
    expect(dashboard.path).toBe('/Trashed.lvdash.json');
    for (const _ of [1, 2])
      expect(await runyard.callOk('DELETE', `${modernPath}/${dashboard.dashboard_id}`)).toEqual({});
    const trashed = await runyard.callOk('GET', `${modernPath}/${dashboard.dashboard_id}`);
    expect(trashed).toEqual({
      ...dashboard,
      lifecycle_state: 'TRASHED',
      etag: '2',
      update_time: trashed.update_time,
    });
    expect(trashed.update_time >= dashboard.update_time).toBe(true);
    expect(
      (await migrate({ source_dashboard_id: id, display_name: 'Trashed', parent_path: '/' })).body
        .display_name,
    ).toBe('Trashed');
    const ids = async (query: object): Promise<string[]> =>
      (await runyard.callOk('GET', modernPath, query)).dashboards.map(
        (one: ResponseBody) => one.dashboard_id,
      );
    expect(await ids({})).not.toContain(dashboard.dashboard_id);
    expect(await ids({ show_trashed: true })).toContain(dashboard.dashboard_id);
  });

  test('is listed in short, newest first, page by page', async () => {
    const { id } = await bring();
    for (const name of ['one', 'two', 'three'])
      await migrate({ source_dashboard_id: id, display_name: `Page ${name}` });
    const first = await runyard.callOk('GET', modernPath, { page_size: 2, view: 'DASHBOARD_VIEW_BASIC' });
    expect(first.dashboards.map((one: ResponseBody) => one.display_name)).toEqual(['Page three', 'Page two']);
    expect(Object.keys(first.dashboards[0])).toEqual([
      'dashboard_id',
      'display_name',
      'create_time',
      'warehouse_id',
      'lifecycle_state',
    ]);
    const second = await runyard.callOk('GET', modernPath, {
      page_size: 2,
      page_token: first.next_page_token,
    });
    expect(second.dashboards[0].display_name).toBe('Page one');
  });

  test.each<[string, object, number, string]>([
    ['no source', {}, 400, 'Missing required field: source_dashboard_id.'],
    [
      'a source that is no UUID',
      { source_dashboard_id: 'x' },
      400,
      'source_dashboard_id is "x"; it must be a UUID, such as 4e443c27-9f61-4f2e-a12d-ea5668460bf1.',
    ],
    [
      'an unknown source',
      { source_dashboard_id: unknown },
      404,
      `Classic dashboard ${unknown} does not exist.`,
    ],
    ['a folder that is missing', { parent_path: '/x/y' }, 404, "Path (/x/y) doesn't exist."],
    [
      'a folder that is a file',
      { parent_path: '/reports/file.txt' },
      400,
      'parent_path is /reports/file.txt, which is not a folder.',
    ],
    ['a folder outside', { parent_path: '/../etc' }, 400, 'The path "/../etc" leads outside the workspace.'],
    ['a relative folder', { parent_path: 'reports' }, 400, 'The path "reports" must begin with a slash.'],
    [
      'a name with a slash',
      { display_name: 'a/b' },
      400,
      'display_name is "a/b"; it must not hold a slash, because it is the name of a file, too.',
    ],
    [
      'a long name',
      { display_name: 'x'.repeat(300) },
      400,
      'display_name is 300 bytes of UTF-8; at most 230 are allowed.',
    ],
    [
      'a switch that is none',
      { update_parameter_syntax: 'maybe' },
      400,
      'Could not parse request object: Expected boolean for field update_parameter_syntax, found STRING "maybe"',
    ],
  ])('is refused with %s, and nothing is stored', async (what, input, status, message) => {
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/reports/file.txt',
      format: 'AUTO',
      content: '',
      overwrite: true,
    });
    const { id } = await bring();
    const before = await countOf();
    const answer = await migrate({
      ...(what.includes('source') ? {} : { source_dashboard_id: id }),
      ...input,
    });
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message });
    expect(await countOf()).toEqual(before);
  });

  test('that does not exist is not found', async () => {
    for (const [method, id] of [
      ['GET', 'x'],
      ['DELETE', unknown],
    ] as const) {
      expect(await runyard.call(method, `${modernPath}/${id}`)).toEqual({
        status: 404,
        body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `Dashboard ${id} does not exist.` },
      });
    }
  });
});

test('spec 4.4, 5: every operation needs the scope dashboards', async () => {
  const [other, right] = [
    await addUser(runyard.database.db, 'ann', { scopes: ['jobs', 'workspace'] }),
    await addUser(runyard.database.db, 'ann', { scopes: ['dashboards'] }),
  ];
  const send = async (token: string, method: string, path: string): Promise<ResponseBody> => {
    const response = await fetch(`${runyard.url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(method === 'POST' && { body: '{}' }),
    });
    return { status: response.status, ...Object(await response.json()) };
  };
  const paths = [
    ...['2.0/modern/dashboards', '2.0/lakeview/dashboards', classicPath].flatMap(
      (path) =>
        [
          ['GET', path],
          ['GET', `${path}/${unknown}`],
          ['DELETE', `${path}/${unknown}`],
        ] as const,
    ),
    ['POST', classicPath],
    ['POST', '2.0/modern/dashboards/migrate'],
    ['POST', '2.0/lakeview/dashboards/migrate'],
  ] as const;
  for (const [method, path] of paths) {
    expect(await send(other, method, path), path).toEqual({
      status: 403,
      error_code: 'PERMISSION_DENIED',
      message: 'Provided access token does not have required scopes: dashboards',
    });
    expect((await send(right, method, path)).status, path).not.toBe(403);
  }
});
