/**
 * POST modern/dashboards/{dashboard_id}/query: runs a dataset of a dashboard, so that its widgets have
 * something to show.
 */
import { Type } from 'typebox';
import type { ModernDashboard } from '../../engine/dashboard/modern.ts';
import { prepareDatasetQuery } from '../../engine/dashboard/execution/dataset-query.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardId, parseDashboardId, dashboardNotFound } from '../views/dashboard-view.ts';

/** Reads managed_fs and nothing else, and changes nothing. It ends when the caller goes away. */
export function queryDashboardOperation({
  dashboards,
  queryFiles,
  queries,
  clock,
}: DashboardPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/modern/dashboards/:dashboard_id/query',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Run a dataset of a dashboard',
    description:
      'Runs the query of a dataset on files of managed_fs, with DuckDB, and shows its rows, or those that a widget makes of them. What DuckDB cannot run is refused and says why.',
    request: Type.Object({
      dashboard_id: DashboardId,
      dataset_name: Type.String({ description: 'Name of the dataset, or the name that people see.' }),
      parameters: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description:
            'Values by keyword: a text or number, a list of them, or an object with min and max. What is not named is set as the dashboard begins.',
        }),
      ),
      widget_name: Type.Optional(
        Type.String({
          description:
            'Shows the fields of this widget, grouped as it groups them. Default: the rows of the dataset.',
        }),
      ),
    }),
    response: Type.Object({
      columns: Type.Array(
        Type.Object({
          name: Type.String(),
          type: Type.String({ description: 'As DuckDB calls it, such as BIGINT or DATE.' }),
        }),
      ),
      rows: Type.Array(Type.Array(Type.Unknown()), {
        description: 'Each in the order of the columns. Dates are texts; so are integers beyond 2^53.',
      }),
      truncated: Type.Boolean({ description: 'Whether there are more rows than are shown.' }),
    }),
    async handle(
      { dashboard_id: id, dataset_name: dataset, parameters = {}, widget_name: widget },
      { disconnectSignal },
    ) {
      const found = await dashboards.find(parseDashboardId(id));
      if (found === undefined) throw dashboardNotFound(id);
      // Stored by the migration, which makes nothing else.
      const document = JSON.parse(found.serialized) as ModernDashboard;
      const query = prepareDatasetQuery(
        document,
        { dataset, parameters, widget: widget === '' ? undefined : widget },
        clock.now(),
      );
      const paths = new Map(
        await Promise.all(query.files.map(async (uri) => [uri, await queryFiles.resolvePath(uri)] as const)),
      );
      return queries.run(
        query.sql((uri) => paths.get(uri) ?? uri),
        disconnectSignal,
      );
    },
  });
}
