/** Prepares the query of a dataset, or of a widget: its fields, grouped by those without an aggregate. */
import { invalid, ServiceError } from '../../errors.ts';
import { quote } from '../../validation/messages.ts';
import type { QueryField, ModernDashboard } from '../modern.ts';
import { prepareQuery, type PreparedQuery } from '../../sql/duckdb-query.ts';
import { bindParameters } from './bind-parameters.ts';
import { quoteDuckdbName, type ParameterValue } from '../../sql/sql-items.ts';

export interface DatasetRequest {
  readonly dataset: string;
  /** Values by keyword. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Widget whose fields are selected; undefined: all rows of the dataset. */
  readonly widget: string | undefined;
}

/**
 * Prepares the query of a request.
 * @param now epoch ms, for relative dates
 * @throws ServiceError for a dataset, widget or parameter that the dashboard does not have, and for a query
 *   that cannot be run
 */
export function prepareDatasetQuery(
  { datasets, pages }: ModernDashboard,
  { dataset: name, parameters, widget }: DatasetRequest,
  now: number,
): PreparedQuery {
  const dataset = datasets.find((each) => each.name === name || each.displayName === name);
  if (dataset === undefined)
    throw notFound(
      `The dashboard has no dataset ${quote(name)}; it has ${datasets.map((each) => each.name).join(', ') || 'none'}.`,
    );
  const values = bindParameters(dataset.parameters ?? [], parameters, now);
  const rows = prepareQuery(dataset.queryLines.join(''), values);
  if (widget === undefined) return rows;
  const found = pages.flatMap(({ layout }) => layout).find((placed) => placed.widget.name === widget)?.widget;
  if (found === undefined) throw notFound(`The dashboard has no widget ${quote(widget)}.`);
  const widgetQuery = found.queries?.find(
    ({ query }) => query.datasetName === dataset.name && query.fields !== undefined,
  )?.query;
  if (widgetQuery === undefined)
    throw invalid(`The widget ${quote(widget)} does not show the dataset ${quote(name)}.`);
  const { fields = [], disaggregated } = widgetQuery;
  return fields.length === 0 ? rows : selectWidgetFields(rows, fields, disaggregated, values);
}

function selectWidgetFields(
  rows: PreparedQuery,
  fields: readonly QueryField[],
  disaggregated: boolean,
  values: ReadonlyMap<string, ParameterValue>,
): PreparedQuery {
  // Each field is translated as a separate query, so that it cannot close the brackets of another.
  const columns = fields.map(
    ({ name, expression }) =>
      `${prepareQuery(`SELECT ${expression}`, values)
        .sql((uri) => uri)
        .slice('SELECT '.length)} AS ${quoteDuckdbName(name)}`,
  );
  // Groups are in the order of their first row in the dataset.
  const from = (sql: string): string =>
    disaggregated
      ? `SELECT ${columns.join(', ')} FROM (${sql}\n) AS dataset`
      : `SELECT ${columns.join(', ')} FROM (SELECT *, row_number() OVER () AS "row of dataset" FROM (${sql}\n) AS rows) AS dataset GROUP BY ALL ORDER BY min("row of dataset")`;
  return { files: rows.files, sql: (pathOf) => from(rows.sql(pathOf)) };
}

function notFound(message: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', message);
}
