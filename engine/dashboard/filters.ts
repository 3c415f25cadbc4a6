/** Creates filter widgets: each sets one parameter in all datasets that have it. */
import type { ClassicQuery } from './classic.ts';
import type { DatasetCollection, FilterControl } from './dataset-collection.ts';
import { getOrAddDataset } from './datasets.ts';
import type { FilterField, FilterType, ModernWidget, WidgetQuery } from './modern.ts';
import { toModernParameter } from './modern-parameter.ts';
import type { ClassicParameter } from './classic-parameters.ts';
import { selectedColumns } from './query-columns.ts';
import { quoteLiteral } from './query-markers.ts';
import { quoteColumn } from './visuals/visual.ts';

/** Source of the values that can be selected. */
export interface FilterChoices {
  readonly dataset: string;
  readonly column: string;
}

/**
 * Creates the filter of a control.
 * @param dashboardId id of the new dashboard, which is part of the names of the bindings
 */
export function createFilter(
  name: string,
  { parameter, title, value, bindings }: FilterControl,
  choices: FilterChoices | undefined,
  dashboardId: string,
): ModernWidget {
  const type = filterTypeOf(parameter, choices);
  const bound = bindings.map(({ dataset, keyword }) => ({
    dataset,
    keyword,
    query: `parameter_dashboards/${dashboardId}/datasets/${dataset}_${keyword}`,
  }));
  const fields: FilterField[] = bound.map(({ keyword, query }) => ({
    parameterName: keyword,
    queryName: query,
  }));
  const queries: WidgetQuery[] = bound.map(({ dataset, keyword, query }) => ({
    name: query,
    query: { datasetName: dataset, parameters: [{ name: keyword, keyword }], disaggregated: false },
  }));
  if (choices !== undefined) {
    const source = `dashboards/${dashboardId}/datasets/${choices.dataset}_${choices.column}`;
    fields.unshift({ fieldName: choices.column, displayName: title, queryName: source });
    queries.unshift({
      name: source,
      query: {
        datasetName: choices.dataset,
        fields: [{ name: choices.column, expression: quoteColumn(choices.column) }],
        disaggregated: false,
      },
    });
  }
  const selection = toModernParameter(parameter, 'any', value).parameter.defaultSelection;
  return {
    name,
    queries,
    spec: {
      version: 2,
      widgetType: type,
      encodings: { fields },
      frame: { showTitle: true, title },
      selection: { defaultSelection: selection },
    },
  };
}

function filterTypeOf({ kind, multiple }: ClassicParameter, choices: FilterChoices | undefined): FilterType {
  switch (kind) {
    case 'date':
    case 'datetime':
      return 'filter-date-picker';
    case 'date-range':
    case 'datetime-range':
      return 'filter-date-range-picker';
    case 'text':
    case 'number':
    case 'enum':
    case 'query':
      if (multiple !== undefined) return 'filter-multi-select';
      return choices === undefined ? 'filter-text-entry' : 'filter-single-select';
  }
}

/**
 * Adds the dataset of the values that can be selected; undefined for a parameter without choices.
 * @param queryById queries of the dashboard by id, for parameters whose choices are the result of a query
 */
export function createChoices(
  all: DatasetCollection,
  { title, parameter }: FilterControl,
  queryById: ReadonlyMap<string, ClassicQuery>,
): FilterChoices | undefined {
  const warn = (note: string): void => {
    all.warnings.push(`Filter "${title}": ${note}.`);
  };
  if (parameter.kind === 'enum' && parameter.options.length > 0) {
    const signature = `choices ${JSON.stringify(parameter.options)}`;
    const known = all.bySignature.get(signature);
    if (known !== undefined) return { dataset: known.name, column: 'value' };
    const dataset = all.createName(signature);
    const displayName = `${title}: choices`;
    all.bySignature.set(signature, { name: dataset, displayName, controls: [] });
    const rows = parameter.options.map((option) => `(${quoteLiteral(option)})`).join(', ');
    all.datasets.push({
      name: dataset,
      displayName,
      queryLines: [`SELECT value FROM (VALUES ${rows}) AS choices(value)`],
    });
    return { dataset, column: 'value' };
  }
  if (parameter.kind !== 'query') return undefined;
  const query = queryById.get(parameter.queryId ?? '');
  if (query?.query === undefined) {
    warn(
      `the query of its choices, ${parameter.queryId ?? 'which is not named'}, is not part of the dashboard; import it under "queries"`,
    );
    return undefined;
  }
  const columns = selectedColumns(all.tokenize(query.query));
  const column = columns?.includes('value') === true ? 'value' : columns?.[0];
  if (columns?.includes('name') === true && columns.includes('value'))
    warn('its choices are shown by value instead of by name');
  if (column === undefined)
    warn('the columns of the query of its choices are not known from its text; the column value is used');
  return {
    dataset: getOrAddDataset(all, query, { mappings: {}, isShown: false, title: '' }).name,
    column: column ?? 'value',
  };
}
