/** POST modern/dashboards/{dashboard_id}/query. */
import { Type } from 'typebox';
import type { ModernDashboard } from '../../engine/dashboard/modern.ts';
import { prepareDatasetQuery } from '../../engine/dashboard/execution/dataset-query.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { DashboardId, parseDashboardId, dashboardNotFound } from '../views/dashboard-view.ts';

const request = Type.Object({
  dashboard_id: DashboardId,
  dataset_name: Type.String({ description: 'Name or display name of the dataset.' }),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Values by keyword: a text or number, a list of them, or an object with min and max. Default: the values of the dashboard.',
    }),
  ),
  widget_name: Type.Optional(
    Type.String({
      description: 'Returns the fields of this widget with its grouping. Default: the rows of the dataset.',
    }),
  ),
});

const response = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String({ description: 'DuckDB type, such as BIGINT or DATE.' }),
    }),
  ),
  rows: Type.Array(Type.Array(Type.Unknown()), {
    description: 'Values in the order of the columns. Dates and integers beyond 2^53 are texts.',
  }),
  truncated: Type.Boolean({ description: 'Whether further rows were omitted.' }),
});

/**
 * Runs a dataset of a dashboard read-only on files of managed_fs. A disconnect of the client cancels the
 * query.
 * @throws ServiceError for an unknown dashboard, dataset or widget, invalid parameters, and SQL errors
 */
export function queryDashboardOperation(ports: DashboardPorts): Operation {
  const { dashboards, queryFiles, queries, clock } = ports;
  return defineOperation({
    method: 'POST',
    path: '/modern/dashboards/:dashboard_id/query',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Run a dataset of a dashboard',
    description:
      'Runs the query of a dataset with DuckDB on files of managed_fs and returns its rows, or those of a widget. SQL that DuckDB does not support is refused with the reason.',
    request,
    response,
    async handle(
      { dashboard_id: id, dataset_name: dataset, parameters = {}, widget_name: widget },
      { disconnectSignal },
    ) {
      const found = await dashboards.find(parseDashboardId(id));
      if (found === undefined) throw dashboardNotFound(id);
      // Only the migration writes this column, so its content is a valid dashboard.
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
