/** Encodes a column of values of a chart, with the name of its series. */
import { getText, type JsonObject } from '../json-fields.ts';
import type { ChartColumn } from './chart-columns.ts';
import { seriesOption } from './chart-styles.ts';
import type { FieldSet } from './visual.ts';

export function createValueField(
  { fields, options }: { readonly fields: FieldSet; readonly options: JsonObject },
  column: ChartColumn,
): JsonObject {
  const option = seriesOption(options, column);
  const fieldName = fields.addTransformed(column.column, column.transform);
  return { fieldName, displayName: getText(option, 'name') ?? getText(option, 'label') ?? fieldName };
}
