/** Classic dashboards and the scope of the dashboard operations. */
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

const countOf = async (): Promise<number[]> =>
  Promise.all([
    runyard.callOk('GET', classicPath).then(({ count }) => count),
    runyard
      .callOk('GET', modernPath, { show_trashed: true, page_size: 0 })
      .then(({ dashboards }) => dashboards.length),
  ]);

describe('spec 4.4: classic dashboards', () => {
  test('are imported as one document and returned unchanged', async () => {
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

  test('keep their id, and a duplicate id is refused', async () => {
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

  test('are listed without widgets and deleted permanently', async () => {
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
      'an invalid id',
      { id: '7' },
      'id is "7"; it must be a UUID, such as 4e443c27-9f61-4f2e-a12d-ea5668460bf1.',
    ],
    [
      'a visualization without a type',
      { widgets: [{}, { visualization: { query } }] },
      'Missing required field: widgets[1].visualization.type.',
    ],
    [
      'queries that are too long',
      {
        widgets: [1, 2].map(() => ({
          visualization: { type: 'TABLE', query: { query: 'x'.repeat(2 ** 21 + 1) } },
        })),
      },
      'The queries of the dashboard have 4194306 bytes of UTF-8 in total; at most 4194304 are allowed.',
    ],
    [
      'too many widgets',
      { widgets: Array.from({ length: 1_001 }, () => ({ text: '' })) },
      'widgets has 1001 entries; at most 1000 are allowed.',
    ],
    [
      'a widget that is not an object',
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

test('spec 4.4, 5: every operation requires the scope dashboards', async () => {
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
