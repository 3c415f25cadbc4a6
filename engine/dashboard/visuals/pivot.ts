/** Maps pivots, and cohorts, which become pivots. */
import { toJsonObject, omitUndefined, getList, getOwn, getText, type JsonObject } from '../json-fields.ts';
import { parseNumberFormat } from './number-format.ts';
import { createFieldSet, type VisualizationInput, type WidgetDraft } from './visual.ts';

/** Name of an aggregation -> transform. */
const aggregators: ReadonlyMap<string, string> = new Map([
  ['count', 'COUNT'],
  ['count unique values', 'COUNT_DISTINCT'],
  ['count distinct', 'COUNT_DISTINCT'],
  ['sum', 'SUM'],
  ['integer sum', 'SUM'],
  ['average', 'AVERAGE'],
  ['avg', 'AVERAGE'],
  ['median', 'MEDIAN'],
  ['minimum', 'MIN'],
  ['min', 'MIN'],
  ['maximum', 'MAX'],
  ['max', 'MAX'],
  ['sample variance', 'VARIANCE'],
  ['sample standard deviation', 'STDDEV'],
]);

export function mapPivot({ options }: VisualizationInput): WidgetDraft | undefined {
  const [rows, columns, values] = [
    parsePivotColumns(options, ['rows']),
    parsePivotColumns(options, ['cols', 'columns']),
    parsePivotColumns(options, ['vals', 'values', 'cells']),
  ];
  if (rows.length + columns.length + values.length === 0) return undefined;
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const side = (entries: readonly PivotColumn[]): object[] =>
    entries.map(({ name }) => ({ fieldName: fields.addColumn(name), displayName: name }));
  const [rowFields, columnFields] = [side(rows), side(columns)];
  const aggregator = getText(options, 'aggregatorName') ?? (values.length === 0 ? 'Count' : 'Sum');
  const transform = aggregators.get(aggregator.toLowerCase());
  if (transform === undefined) notes.push(`the aggregation ${aggregator} is unknown; the values are summed`);
  const renderer = getText(options, 'rendererName');
  const cellType = /heatmap$/i.test(renderer ?? '') ? 'color-scale' : 'text';
  if (renderer !== undefined && cellType === 'text' && !/^table$/i.test(renderer))
    notes.push(`it is shown as ${renderer}; only its table is kept`);
  if (
    Object.values(toJsonObject(getOwn(options, 'valueFilter'))).some(
      (filter) => Object.keys(toJsonObject(filter)).length > 0,
    )
  )
    notes.push('values that the pivot filtered out are shown');
  const format = parseNumberFormat(getText(options, 'numberFormat'));
  const cells =
    values.length === 0
      ? [{ fieldName: fields.addRowCount(), cellType }]
      : values.map(({ name, transform: ownTransform }) =>
          omitUndefined({
            fieldName: fields.addTransformed(name, ownTransform ?? transform ?? 'SUM'),
            displayName: name,
            cellType,
            format,
          }),
        );
  return {
    type: 'pivot',
    encodings: { rows: rowFields, columns: columnFields, cell: { type: 'multi-cell', fields: cells } },
    fields: fields.fields,
    disaggregated: false,
    notes,
  };
}

/** Maps a cohort: the start of each group, the time since then, and the remaining value. */
export function mapCohort({ options }: VisualizationInput): WidgetDraft {
  const notes = [
    'a cohort is shown as a pivot of its values; shares of the size of each group are not computed',
  ];
  const fields = createFieldSet(notes);
  const [date, stage] = [
    getText(options, 'dateColumn') ?? 'date',
    getText(options, 'stageColumn') ?? 'day_number',
  ];
  const [value, total] = [
    getText(options, 'valueColumn') ?? 'value',
    getText(options, 'totalColumn') ?? 'total',
  ];
  const rows = [
    { fieldName: fields.addColumn(date), displayName: date },
    { fieldName: fields.addColumn(total), displayName: total },
  ];
  return {
    type: 'pivot',
    notes,
    disaggregated: false,
    encodings: {
      rows,
      columns: [{ fieldName: fields.addColumn(stage), displayName: stage }],
      cell: {
        type: 'multi-cell',
        fields: [
          { fieldName: fields.addTransformed(value, 'SUM'), displayName: value, cellType: 'color-scale' },
        ],
      },
    },
    fields: fields.fields,
  };
}

interface PivotColumn {
  readonly name: string;
  readonly transform: string | undefined;
}

/** Parses columns, which are texts or objects with a name. */
function parsePivotColumns(options: JsonObject, keys: readonly string[]): PivotColumn[] {
  const key = keys.find((each) => getList(options, each).length > 0);
  return key === undefined
    ? []
    : getList(options, key).flatMap((entry) => {
        const fields = toJsonObject(entry);
        const name =
          typeof entry === 'string' ? entry : (getText(fields, 'column') ?? getText(fields, 'name'));
        return name === undefined || name === ''
          ? []
          : [{ name, transform: getText(fields, 'transform') ?? getText(fields, 'aggregation') }];
      });
}
