/** Migration of classic dashboards (spec 4.4) and the migrated dashboard (spec 2.12). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
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

describe('spec 2.12: a migrated dashboard', () => {
  test('contains every field, and get returns the response of migrate', async () => {
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
    // Chart columns keep the order of their definition.
    expect(
      pages[0].layout[2].widget.spec.encodings.y.fields.map(({ fieldName }: ResponseBody) => fieldName),
    ).toEqual(['b', 'a']);
    expect(await runyard.callOk('GET', `${modernPath}/${body.dashboard_id}`)).toEqual(body);
    expect(await runyard.callOk('GET', `${classicPath}/${id}`)).toMatchObject({ id });
  });

  test('has the name of the classic dashboard and the home folder of the caller by default', async () => {
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

  test('keeps its queries byte for byte when update_parameter_syntax is false', async () => {
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

  test('gets a numbered name when a dashboard or a file has its name', async () => {
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

  test('is readable in the trash, and its name is free again', async () => {
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

  test('is listed without its document, newest first, in pages', async () => {
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
      'a source that is not a UUID',
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
      'display_name is "a/b"; it must not contain a slash, because it is also the name of a file.',
    ],
    [
      'a long name',
      { display_name: 'x'.repeat(300) },
      400,
      'display_name is 300 bytes of UTF-8; at most 230 are allowed.',
    ],
    [
      'an invalid boolean',
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

  test('returns 404 when it does not exist', async () => {
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
