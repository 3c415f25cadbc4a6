/** Draft of a widget of the modern format, without name, dataset and title, and the fields of its query. */
import type { QueryField } from '../modern.ts';
import type { VisualType } from '../widget-encodings.ts';
import type { JsonObject } from '../json-fields.ts';

/** Classic visualization, as the mappers take it. */
export interface VisualizationInput {
  readonly options: JsonObject;
  /** Columns of its query; undefined when the text of the query does not name them. */
  readonly columns: readonly string[] | undefined;
}

export interface WidgetDraft {
  readonly type: VisualType;
  readonly encodings: Readonly<Record<string, unknown>>;
  readonly mark?: Readonly<Record<string, unknown>>;
  readonly fields: readonly QueryField[];
  /** True when rows are shown as they are; otherwise they are grouped by the fields without an aggregate. */
  readonly disaggregated: boolean;
  /** Notes on what could not be converted exactly, as half sentences. */
  readonly notes: readonly string[];
}

/** Maps a visualization; undefined when it lacks a column that the widget requires. */
export type VisualizationMapper = (input: VisualizationInput) => WidgetDraft | undefined;

/** Fields of a widget's query, without duplicates, in the order in which they were added. */
export interface FieldSet {
  /** Adds a column. Returns the name of the field, like the other methods. */
  addColumn(column: string): string;
  /** Adds an aggregate of a column, or a truncated date; an unknown transform is noted and ignored. */
  addTransformed(column: string, transform: string | undefined): string;
  /** Adds the number of rows. */
  addRowCount(): string;
  /** Adds any other aggregate expression. */
  addExpression(name: string, expression: string): string;
  readonly fields: readonly QueryField[];
  /** Tells whether a field is an aggregate. */
  hasAggregates(): boolean;
}

/** Transform -> name of its function, and its expression. */
const aggregateFunctions: ReadonlyMap<string, readonly [string, (column: string) => string]> = new Map([
  ['SUM', ['sum', (column) => `SUM(${column})`]],
  ['AVERAGE', ['avg', (column) => `AVG(${column})`]],
  ['AVG', ['avg', (column) => `AVG(${column})`]],
  ['COUNT', ['count', (column) => `COUNT(${column})`]],
  ['COUNT_DISTINCT', ['countdistinct', (column) => `COUNT(DISTINCT ${column})`]],
  ['MEDIAN', ['median', (column) => `MEDIAN(${column})`]],
  ['MIN', ['min', (column) => `MIN(${column})`]],
  ['MAX', ['max', (column) => `MAX(${column})`]],
  ['STDDEV', ['stddev', (column) => `STDDEV(${column})`]],
  ['VARIANCE', ['variance', (column) => `VARIANCE(${column})`]],
]);

const dateUnits: ReadonlyMap<string, string> = new Map([
  ['SECOND', 'secondly'],
  ['MINUTE', 'minutely'],
  ['HOUR', 'hourly'],
  ['DAY', 'daily'],
  ['WEEK', 'weekly'],
  ['MONTH', 'monthly'],
  ['QUARTER', 'quarterly'],
  ['YEAR', 'yearly'],
]);

/** Returns the unit to which a transform truncates a date; undefined for any other transform. */
export function dateUnit(transform: string | undefined): string | undefined {
  const unit = transform?.toUpperCase().replace(/_LEVEL$/, '');
  return unit !== undefined && dateUnits.has(unit) ? unit : undefined;
}

/** Creates an empty set. @param notes receives notes on unknown transforms */
export function createFieldSet(notes: string[]): FieldSet {
  const byName = new Map<string, QueryField>();
  let aggregated = false;
  const add = (name: string, expression: string): string => {
    if (!byName.has(name)) byName.set(name, { name, expression });
    return name;
  };
  const plain = (column: string): string => add(column, quoteColumn(column));
  return {
    addColumn: plain,
    addTransformed(column, transform) {
      if (transform === undefined) return plain(column);
      const unit = dateUnit(transform);
      if (unit !== undefined)
        return add(`${dateUnits.get(unit) ?? ''}(${column})`, `DATE_TRUNC("${unit}",${quoteColumn(column)})`);
      const aggregate = aggregateFunctions.get(transform.toUpperCase());
      if (aggregate === undefined) {
        notes.push(
          `the transform ${transform} of the column ${column} is unknown; the column is shown without it`,
        );
        return plain(column);
      }
      aggregated = true;
      return add(`${aggregate[0]}(${column})`, aggregate[1](quoteColumn(column)));
    },
    addRowCount() {
      aggregated = true;
      return add('count(*)', 'COUNT(`*`)');
    },
    addExpression(name, expression) {
      aggregated = true;
      return add(name, expression);
    },
    get fields() {
      return [...byName.values()];
    },
    hasAggregates: () => aggregated,
  };
}

/** Returns a column as a name in an expression. */
export function quoteColumn(column: string): string {
  return `\`${column.replaceAll('`', '``')}\``;
}
