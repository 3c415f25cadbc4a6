/** A column of values of a chart, with the name that its series was given. */
import { textIn, type Fields } from '../reading.ts';
import type { ChartColumn } from './chart-columns.ts';
import { seriesOption } from './chart-styles.ts';
import type { FieldSet } from './visual.ts';

export function valueField(
  { fields, options }: { readonly fields: FieldSet; readonly options: Fields },
  column: ChartColumn,
): Fields {
  const option = seriesOption(options, column);
  const fieldName = fields.transformed(column.column, column.transform);
  return { fieldName, displayName: textIn(option, 'name') ?? textIn(option, 'label') ?? fieldName };
}
