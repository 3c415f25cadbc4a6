/** State of a chart while it is mapped. */
import type { JsonObject } from '../json-fields.ts';
import type { ChartColumns } from './chart-columns.ts';
import type { FieldSet } from './visual.ts';

export interface ChartContext {
  readonly options: JsonObject;
  readonly columns: ChartColumns;
  readonly fields: FieldSet;
  readonly notes: string[];
}
