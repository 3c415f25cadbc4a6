/** Values of filters, and the dataset parameters that they set. */
import type { LayoutItem, Widget } from '../api/dashboard-documents.ts';
import type { FilterParameters } from './use-rows.ts';

export type FilterValue = string | readonly string[] | { readonly min: string; readonly max: string };

/** `undefined` restores the default of the dashboard. */
export type OnFilterChange = (widget: Widget, value: FilterValue | undefined) => void;

/** Returns the key of a filter: its parameters, because it has a different name on every page. */
export function filterKeyOf({ queries = [] }: Widget): string {
  return JSON.stringify(listParameterTargets(queries).toSorted());
}

function listParameterTargets(queries: NonNullable<Widget['queries']>): string[] {
  return queries.flatMap(({ query }) =>
    (query.parameters ?? []).map(({ keyword }) => `${query.datasetName} ${keyword}`),
  );
}

/** Collects the parameters of all filters. @param values values by the key of the filter */
export function filterParametersOf(
  layout: readonly LayoutItem[],
  values: ReadonlyMap<string, FilterValue>,
): FilterParameters {
  const parameters: Record<string, Record<string, unknown>> = {};
  for (const { widget } of layout) {
    const value = values.get(filterKeyOf(widget));
    if (value === undefined) continue;
    for (const { query } of widget.queries ?? []) {
      for (const { keyword } of query.parameters ?? [])
        parameters[query.datasetName] = { ...parameters[query.datasetName], [keyword]: value };
    }
  }
  return parameters;
}
