/** Dashboards through the JavaScript SDK. */
import { WorkspaceClient } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../../harness/api-client.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { collectAll, apiErrorOf } from './sdk-results.ts';

let runyard: TestService;
let client: WorkspaceClient;
beforeAll(async () => {
  runyard = await startTestService();
  client = new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: runyard.token } });
});
afterAll(() => runyard.stop());

describe('dashboards', () => {
  test('are migrated, read, listed page by page, and moved to the trash', async () => {
    const { callOk } = createApiClient(runyard.url, runyard.token);
    const classic = await callOk('POST', '2.0/preview/sql/dashboards', {
      name: 'Sales',
      widgets: [
        {
          options: { position: { col: 0, row: 0, sizeX: 3, sizeY: 4 } },
          visualization: {
            type: 'COUNTER',
            name: 'Revenue',
            options: { counterColName: 'revenue' },
            query: { id: 'q', name: 'Revenue', query: "SELECT sum(x) AS revenue FROM t WHERE y = '{{ y }}'" },
          },
        },
      ],
    });
    const migrate = (display_name?: string) =>
      client.lakeview.migrate({
        source_dashboard_id: classic.id,
        ...(display_name !== undefined && { display_name }),
      });
    const dashboard = await migrate();
    expect(dashboard).toMatchObject({
      display_name: 'Sales',
      parent_path: '/Users/admin',
      path: '/Users/admin/Sales.lvdash.json',
      etag: '1',
      lifecycle_state: 'ACTIVE',
      dashboard_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      create_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      serialized_dashboard: expect.stringContaining('y = :y'),
    });
    const { dashboard_id: id = '' } = dashboard;
    expect(await client.lakeview.get({ dashboard_id: id })).toEqual(dashboard);
    await migrate('Other');
    expect((await migrate()).display_name).toBe('Sales (2)');
    const names = async (request: object) =>
      (await collectAll(client.lakeview.list(request))).map(({ display_name: name }) => name);
    expect(await names({ page_size: 2 })).toEqual(['Sales (2)', 'Other', 'Sales']);
    await client.lakeview.trash({ dashboard_id: id });
    expect(await names({})).toEqual(['Sales (2)', 'Other']);
    expect(await names({ show_trashed: true, page_size: 1 })).toEqual(['Sales (2)', 'Other', 'Sales']);
    expect((await client.lakeview.get({ dashboard_id: id })).lifecycle_state).toBe('TRASHED');
  });

  test('a source that does not exist is not found', async () => {
    expect(
      await apiErrorOf(
        client.lakeview.migrate({ source_dashboard_id: '4e443c27-9f61-4f2e-a12d-ea5668460bf1' }),
      ),
    ).toMatchObject({
      statusCode: 404,
      errorCode: 'RESOURCE_DOES_NOT_EXIST',
      message: 'Classic dashboard 4e443c27-9f61-4f2e-a12d-ea5668460bf1 does not exist.',
    });
  });

  test('of the classic kind are listed, read and deleted', async () => {
    const { callOk } = createApiClient(runyard.url, runyard.token);
    const { id } = await callOk('POST', '2.0/preview/sql/dashboards', { name: 'Classic of the SDK' });
    expect((await collectAll(client.dashboards.list({ q: 'of the sdk' }))).map((one) => one.id)).toEqual([
      id,
    ]);
    expect(await client.dashboards.get({ dashboard_id: id })).toMatchObject({
      id,
      name: 'Classic of the SDK',
    });
    await client.dashboards.delete({ dashboard_id: id });
    expect(await apiErrorOf(client.dashboards.get({ dashboard_id: id }))).toMatchObject({ statusCode: 404 });
  });
});
