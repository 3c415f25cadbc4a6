/** A chart while it is mapped. */
import type { Fields } from '../reading.ts';
import type { ChartColumns } from './chart-columns.ts';
import type { FieldSet } from './visual.ts';

export interface ChartDraft {
  readonly options: Fields;
  readonly columns: ChartColumns;
  readonly fields: FieldSet;
  readonly notes: string[];
}
