/** Pivots, and cohorts, which become pivots. */
import { fieldsOf, given, listIn, own, textIn, type Fields } from '../reading.ts';
import { numberFormat } from './formats.ts';
import { fieldSet, type Shown, type Visual } from './visual.ts';

/** Name of an aggregation -> transform; a share is shown as what it is a share of. */
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

export function pivot({ options }: Shown): Visual | undefined {
  const [rows, columns, values] = [
    names(options, ['rows']),
    names(options, ['cols', 'columns']),
    names(options, ['vals', 'values', 'cells']),
  ];
  if (rows.length + columns.length + values.length === 0) return undefined;
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const side = (columns_: readonly Named[]): object[] =>
    columns_.map(({ name }) => ({ fieldName: fields.plain(name), displayName: name }));
  const [rowFields, columnFields] = [side(rows), side(columns)];
  const aggregator = textIn(options, 'aggregatorName') ?? (values.length === 0 ? 'Count' : 'Sum');
  const transform = aggregators.get(aggregator.toLowerCase());
  if (transform === undefined) notes.push(`the aggregation ${aggregator} is not known; values are added up`);
  const renderer = textIn(options, 'rendererName');
  const cellType = /heatmap$/i.test(renderer ?? '') ? 'color-scale' : 'text';
  if (renderer !== undefined && cellType === 'text' && !/^table$/i.test(renderer))
    notes.push(`it is shown as ${renderer}, of which the table is kept`);
  if (
    Object.values(fieldsOf(own(options, 'valueFilter'))).some(
      (filter) => Object.keys(fieldsOf(filter)).length > 0,
    )
  )
    notes.push('values that were filtered out of the pivot are shown');
  const format = numberFormat(textIn(options, 'numberFormat'));
  const cells =
    values.length === 0
      ? [{ fieldName: fields.count(), cellType }]
      : values.map(({ name, transform: its }) =>
          given({
            fieldName: fields.transformed(name, its ?? transform ?? 'SUM'),
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

/** When a group began, how long ago that is, and what of it is left. */
export function cohort({ options }: Shown): Visual {
  const notes = [
    'a cohort is shown as a pivot of its values; shares of the size of each group are not computed',
  ];
  const fields = fieldSet(notes);
  const [date, stage] = [
    textIn(options, 'dateColumn') ?? 'date',
    textIn(options, 'stageColumn') ?? 'day_number',
  ];
  const [value, total] = [
    textIn(options, 'valueColumn') ?? 'value',
    textIn(options, 'totalColumn') ?? 'total',
  ];
  const rows = [
    { fieldName: fields.plain(date), displayName: date },
    { fieldName: fields.plain(total), displayName: total },
  ];
  return {
    type: 'pivot',
    notes,
    disaggregated: false,
    encodings: {
      rows,
      columns: [{ fieldName: fields.plain(stage), displayName: stage }],
      cell: {
        type: 'multi-cell',
        fields: [
          { fieldName: fields.transformed(value, 'SUM'), displayName: value, cellType: 'color-scale' },
        ],
      },
    },
    fields: fields.fields,
  };
}

interface Named {
  readonly name: string;
  readonly transform: string | undefined;
}

/** Columns as texts, or as objects with a name. */
function names(options: Fields, keys: readonly string[]): Named[] {
  const key = keys.find((each) => listIn(options, each).length > 0);
  return key === undefined
    ? []
    : listIn(options, key).flatMap((entry) => {
        const fields = fieldsOf(entry);
        const name = typeof entry === 'string' ? entry : (textIn(fields, 'column') ?? textIn(fields, 'name'));
        return name === undefined || name === ''
          ? []
          : [{ name, transform: textIn(fields, 'transform') ?? textIn(fields, 'aggregation') }];
      });
}
